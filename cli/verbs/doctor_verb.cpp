// doctor: this build, and a self-test of every device that is here.
#include <fmt/format.h>
#include <nextstat/result_json.h>
#include <nextstat/version.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include "screen/progress.h"
#include "screen/voice.h"
#include "verbs/verb.h"
#include "verbs/verb_list.h"

namespace nextstat::cli {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The self-test of one device.
struct Check {
  BackendType type;
  const DeviceInfo& device;
  std::string name;  // "CUDA [0] NVIDIA H200"
  std::optional<Absent> wrong = {};
  double seconds = 0;
  bool done = false;
};

// All checks at once: a device takes seconds to start, and hardly a processor meanwhile.
class Checks {
 public:
  explicit Checks(const std::vector<BackendReport>& reports) {
    for (const BackendReport& report : reports) {
      for (const DeviceInfo& device : report.devices)
        checks_.push_back(
            {report.type, device,
             fmt::format("{} [{}] {}", display_name(report.type), device.index, printable(device.name))});
    }
  }

  // In the order of the reports and their devices.
  std::vector<Check> run() {
    std::vector<std::jthread> threads;
    for (Check& check : checks_) {
      try {
        threads.emplace_back([this, &check] { test(check); });
      } catch (const std::system_error&) {  // no more threads
        test(check);
      }
    }
    ProgressLine line(true);
    std::unique_lock lock(mutex_);
    while (!finished_.wait_for(lock, std::chrono::milliseconds(100), [&] { return waiting_for().empty(); })) {
      const std::vector<std::string> names = waiting_for();
      line.set_note(fmt::format("testing {}", fmt::join(names, ", ")));
      line.update(checks_.size() - names.size(), checks_.size());
    }
    lock.unlock();
    threads.clear();
    if (thrown_) std::rethrow_exception(thrown_);
    return std::move(checks_);
  }

 private:
  void test(Check& check) noexcept {
    const auto start = std::chrono::steady_clock::now();
    std::optional<Absent> wrong;
    std::exception_ptr thrown;
    try {
      wrong = self_test(check.type, check.device);
    } catch (...) {
      thrown = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    check.wrong = std::move(wrong);
    check.seconds = seconds_since(start);
    check.done = true;
    if (thrown) thrown_ = thrown;
    finished_.notify_one();
  }

  std::vector<std::string> waiting_for() const {
    std::vector<std::string> names;
    for (const Check& check : checks_) {
      if (!check.done) names.push_back(check.name);
    }
    return names;
  }

  std::vector<Check> checks_;
  std::mutex mutex_;
  std::condition_variable finished_;
  std::exception_ptr thrown_;
};

class DoctorVerb final : public Verb {
 public:
  void declare(CLI::App& command) override {
    command.footer(
        "A device passes if a small model with every modifier, evaluated and fitted on it, gives the\n"
        "same numbers as the CPU. Exit code 3 if an available device fails.\n\n"
        "Example: nextstat doctor");
  }

  int run(Console& console) override {
    const auto start = std::chrono::steady_clock::now();
    text_ = fmt::format("nextstat {}, {}, {}\ninstruction set {}\n\n", version_string(), compiler_string(),
                        build_type(), instruction_set_name());
    nlohmann::json json = {{"compiler", compiler_string()},
                           {"build_type", build_type()},
                           {"instruction_set", instruction_set_name()},
                           {"backends", nlohmann::json::array()}};
    const std::vector<BackendReport> reports = discover_backends();
    const std::vector<Check> checks = Checks(reports).run();
    auto check = checks.begin();
    for (const BackendReport& report : reports) json["backends"].push_back(examine(report, check));
    json["ok"] = failures_ == 0;
    text_ += failures_ == 0 ? "\nall available devices passed\n"
                            : fmt::format("\n{} of the available devices FAILED\n", failures_);
    add_header(json, {.schema = "nextstat/doctor/1", .wall_time_s = seconds_since(start)});
    return console.result(json, text_, failures_ == 0 ? kDone : kNoDevice);
  }

 private:
  // check: of the first device of the report; moved past its last.
  nlohmann::json examine(const BackendReport& report, std::vector<Check>::const_iterator& check) {
    nlohmann::json json = backend_json(report, voice());
    const char* name = display_name(report.type);
    if (report.absent)
      text_ +=
          fmt::format("{:<7} {}: {}\n        {}\n", name, to_string(report.absent->stage),
                      printable(report.absent->reason), printable(to_text(report.absent->hint, voice())));
    for (std::size_t i = 0; i < report.devices.size(); ++i, ++check) {
      json["devices"][i]["self_test"] = {
          {"passed", !check->wrong},
          {"error", check->wrong ? absent_json(*check->wrong, voice()) : nlohmann::json(nullptr)},
          {"wall_time_s", check->seconds}};
      failures_ += check->wrong ? 1 : 0;
      const std::string outcome = check->wrong ? "FAILED: " + printable(check->wrong->reason)
                                               : fmt::format("passed in {:.0f} ms", 1e3 * check->seconds);
      text_ += fmt::format("{:<7} [{}] {}: self-test {}\n", name, report.devices[i].index,
                           printable(report.devices[i].name), outcome);
    }
    return json;
  }

  std::string text_;
  std::size_t failures_ = 0;
};

}  // namespace

std::unique_ptr<Verb> make_doctor() { return std::make_unique<DoctorVerb>(); }

}  // namespace nextstat::cli
