// bench: how long questions take here, kept in a file and compared with an earlier run.
#include <fmt/format.h>
#include <nextstat/files.h>
#include <nextstat/json.h>
#include <nextstat/result_json.h>
#include <nextstat/run.h>
#include <nextstat/version.h>

#include <algorithm>

#include "bench/bench_suite.h"
#include "input/choice.h"
#include "input/device_input.h"
#include "input/document_input.h"
#include "input/run_input.h"
#include "input/values.h"
#include "screen/table.h"
#include "screen/task.h"
#include "verbs/verb.h"
#include "verbs/verb_list.h"

namespace nextstat::cli {
namespace {

// Three digits with a unit: "8.31 us".
std::string readable_seconds(double seconds) {
  if (seconds >= 1) return fmt::format("{:.3g} s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.3g} ms", 1e3 * seconds);
  return fmt::format("{:.3g} us", 1e6 * seconds);
}

nlohmann::json cases_json(std::span<const BenchTiming> timings) {
  nlohmann::json cases = nlohmann::json::array();
  for (const BenchTiming& timing : timings) {
    cases.push_back({{"name", timing.name},
                     {"median_s", timing.median_s},
                     {"spread", timing.spread},
                     {"n", timing.n},
                     {"converged", timing.converged}});
  }
  return cases;
}

nlohmann::json changes_json(std::span<const BenchChange> changes) {
  nlohmann::json list = nlohmann::json::array();
  for (const BenchChange& change : changes) {
    list.push_back({{"name", change.name},
                    {"before_s", change.before_s},
                    {"now_s", change.now_s},
                    {"ratio", change.ratio},
                    {"limit", change.limit},
                    {"regression", change.regression()}});
  }
  return list;
}

std::string timings_table(std::span<const BenchTiming> timings) {
  Table table({{"case", Align::Left},
               {"median", Align::Right},
               {"spread", Align::Right},
               {"calls", Align::Right},
               {"", Align::Left}});
  for (const BenchTiming& timing : timings) {
    table.row({timing.name, readable_seconds(timing.median_s), fmt::format("{:.0f}%", 100 * timing.spread),
               fmt::format("{}", timing.n), timing.converged ? "" : "NOT CONVERGED"});
  }
  return table.text();
}

std::string changes_table(std::span<const BenchChange> changes, const std::string& file) {
  Table table({{"case", Align::Left},
               {"before", Align::Right},
               {"now", Align::Right},
               {"now / before", Align::Right},
               {"limit", Align::Right},
               {"", Align::Left}});
  for (const BenchChange& change : changes) {
    table.row({change.name, readable_seconds(change.before_s), readable_seconds(change.now_s),
               fmt::format("{:.2f}", change.ratio), fmt::format("{:.2f}", change.limit),
               change.regression() ? "SLOWER" : ""});
  }
  const auto slower = std::count_if(changes.begin(), changes.end(),
                                    [](const BenchChange& change) { return change.regression(); });
  return fmt::format("\nAgainst {}:\n{}{}\n", printable(file), table.text(),
                     slower ? fmt::format("{} of {} cases slower beyond noise", slower, changes.size())
                            : fmt::format("none of {} cases slower beyond noise", changes.size()));
}

// A run that was saved earlier.
struct SavedRun {
  std::vector<BenchTiming> timings;
  nlohmann::json json;
};

Result<SavedRun> read_saved(const std::string& path) {
  const Result<std::string> text = read_text(path, kMaxDocumentBytes);
  if (!text) return text.errors();
  Result<Json> json = parse_json(*text);
  if (!json) return in_file(json.errors(), path);
  try {
    SavedRun saved;
    for (const Json& item : json->at("cases")) {
      saved.timings.push_back({.name = item.at("name").get<std::string>(),
                               .median_s = item.at("median_s").get<double>(),
                               .spread = item.at("spread").get<double>(),
                               .n = item.at("n").get<std::size_t>()});
    }
    saved.json = std::move(*json);
    return saved;
  } catch (const Json::exception&) {
    return Error{ErrorCode::BadInput, path, "is not a result of `nextstat bench`",
                 "make one with `nextstat bench --save FILE`"};
  }
}

constexpr Named<Suite> kSuites[] = {{"quick", Suite::Quick}, {"full", Suite::Full}};

class BenchVerb final : public Verb {
 public:
  void declare(CLI::App& command) override {
    add_choice(command, "--suite", suite_, "Small models, or larger ones too", NameTable<Suite>(kSuites),
               [](const std::string& name) {
                 return value_named(name, NameTable<Suite>(kSuites), "a suite", "--suite");
               });
    command
        .add_option("--threads", options_.threads,
                    fmt::format("Threads (default {}; 0 = all)", options_.threads))
        ->transform(whole_number(0, kMostThreads))
        ->type_name("N");
    command.add_option("--instruction-set", options_.instruction_set, instruction_set_help())
        ->type_name("NAME");
    command.add_option("--device", options_.device, device_help(options_.device))->type_name("NAME");
    command.add_option("--save", save_, "Also write the result to this file, for a later --compare")
        ->type_name("FILE");
    command
        .add_option("--compare", compare_,
                    "Compare with a saved result; exit 1 if a case is slower beyond noise")
        ->type_name("FILE");
    command.add_flag("--no-progress", no_progress_, "Do not show progress");
    command.footer("Example: nextstat bench --suite quick");
  }

  int run(Console& console) override {
    RunOptions wanted;
    wanted.device = options_.device;
    if (const auto there = check_device(wanted); !there) return console.fail(there.errors());
    Result<SavedRun> before = SavedRun{};
    if (!compare_.empty()) before = read_saved(compare_);
    if (!before) return console.fail(before.errors());

    Task task(!no_progress_);
    RunOptions attached;
    task.attach(attached);
    options_.stop = attached.stop;
    options_.on_progress = attached.on_progress;
    const Result<BenchRun> done = task.timed([&] { return run_suite(suite_, options_); });
    if (!done) return console.fail(done.errors());
    return report(console, task, *done, *before);
  }

 private:
  int report(Console& console, const Task& task, const BenchRun& done, const SavedRun& before) const {
    const std::vector<BenchTiming>& timings = done.timings;
    nlohmann::json json = {{"suite", name_in(NameTable<Suite>(kSuites), suite_)},
                           {"threads", options_.threads},
                           {"instruction_set", options_.instruction_set.empty() ? instruction_set_name()
                                                                                : options_.instruction_set},
                           {"compiler", compiler_string()},
                           {"build_type", build_type()},
                           {"cases", cases_json(timings)},
                           {"interrupted", task.stop_requested()}};
    add_header(json,
               {.schema = "nextstat/bench/1", .device = done.device, .wall_time_s = task.wall_time_s()});
    std::string table = timings_table(timings);
    bool failed = std::any_of(timings.begin(), timings.end(),
                              [](const BenchTiming& timing) { return !timing.converged; });
    if (!compare_.empty()) {
      const std::vector<BenchChange> changes = compare_timings(before.timings, timings);
      warn_about_differences(console, before.json, json);
      if (changes.empty()) console.warn("no case in common with " + compare_);
      json["comparison"] = changes_json(changes);
      table += changes_table(changes, compare_);
      failed = failed || std::any_of(changes.begin(), changes.end(),
                                     [](const BenchChange& change) { return change.regression(); });
    }
    if (!save_.empty()) {
      const auto written = write_text(save_, json.dump(1) + "\n");
      if (!written) return console.fail(written.errors());
    }
    return console.result(json, table, exit_code(!failed, task.stop_requested()));
  }

  // Times taken under other conditions can be compared, but should not be by accident.
  static void warn_about_differences(const Console& console, const nlohmann::json& before,
                                     const nlohmann::json& now) {
    for (const char* key : {"threads", "instruction_set", "build_type", "device"}) {
      if (before.value(key, nlohmann::json()) != now.at(key))
        console.warn(fmt::format("the saved run had {} {}, this one has {}", key,
                                 before.value(key, nlohmann::json()).dump(), now.at(key).dump()));
    }
  }

  Suite suite_ = Suite::Quick;
  std::string save_, compare_;
  bool no_progress_ = false;
  BenchOptions options_;
};

}  // namespace

std::unique_ptr<Verb> make_bench() { return std::make_unique<BenchVerb>(); }

}  // namespace nextstat::cli
