// ranking: how far each nuisance parameter moves the parameter of interest.
#include <fmt/format.h>
#include <nextstat/files.h>
#include <nextstat/json.h>
#include <nextstat/ranking.h>
#include <nextstat/result_json.h>

#include <algorithm>
#include <cmath>

#include "input/choice.h"
#include "input/run_input.h"
#include "input/values.h"
#include "screen/table.h"
#include "screen/test_screen.h"
#include "verbs/verb.h"
#include "verbs/verb_list.h"

namespace nextstat::cli {
namespace {

constexpr std::size_t kShown = 20;   // rows of the table unless --top says otherwise
constexpr double kHalfWidth = 12.0;  // of the bar, in characters

Result<std::vector<RankingGroup>> read_groups(const std::string& path) {
  const Result<std::string> text = read_text(path, kMaxDocumentBytes);
  if (!text) return text.errors();
  const Result<Json> document = parse_json(*text);
  if (!document) return in_file(document.errors(), path);
  const auto fault = [&](const std::string& where, const std::string& what) {
    return in_file({{ErrorCode::BadInput, where, what, "write {\"group\": [\"parameter\", \"pattern*\"]}"}},
                   path);
  };
  if (!document->is_object()) return fault("", "the groups are not an object");
  std::vector<RankingGroup> groups;
  for (const auto& [name, members] : document->items()) {
    const std::string where = pointer_append("", name);
    if (!members.is_array()) return fault(where, "the members of a group are not a list");
    groups.push_back({name, {}});
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (!members[i].is_string()) return fault(pointer_append(where, i), "a member is not a name");
      groups.back().members.push_back(members[i].get<std::string>());
    }
  }
  return groups;
}

// What the table shows of an entry: the impacts that it is sorted by.
std::pair<double, double> shown(const RankingEntry& entry, Impact kind) {
  if (kind == Impact::Prefit) return {entry.impact_up_prefit, entry.impact_down_prefit};
  return {entry.impact_up, entry.impact_down};
}

// "----|+++": the shift for - sigma and + sigma, to the left when the POI falls; = where both go one way.
std::string bar(double up, double down, double largest) {
  const auto length = [&](double shift) {
    return std::isfinite(shift) && largest > 0 ? std::lround(kHalfWidth * shift / largest) : 0L;
  };
  const long up_end = length(up), down_end = length(down), half = static_cast<long>(kHalfWidth);
  std::string text;
  for (long i = -half; i <= half; ++i) {
    const bool in_up = up_end > 0 ? i > 0 && i <= up_end : i < 0 && i >= up_end;
    const bool in_down = down_end > 0 ? i > 0 && i <= down_end : i < 0 && i >= down_end;
    text += i == 0 ? '|' : in_up && in_down ? '=' : in_up ? '+' : in_down ? '-' : ' ';
  }
  return text;
}

std::string signed_number(double value) {
  return std::isfinite(value) ? fmt::format("{:+.4g}", value) : std::string("-");
}

std::string ranking_table(const Model& model, const RankingResult& result, std::size_t rows) {
  double largest = 0;
  for (const RankingEntry& entry : result.entries) {
    const auto [up, down] = shown(entry, result.impact);
    largest = std::fmax(largest, std::fmax(std::abs(up), std::abs(down)));
  }
  Table table({{"", Align::Right},
               {"parameter", Align::Left},
               {"+sigma", Align::Right},
               {"-sigma", Align::Right},
               {"pull", Align::Right},
               {"constraint", Align::Right},
               {"shift of the POI: + for +sigma, - for -sigma", Align::Left},
               {"", Align::Left}});
  for (std::size_t i = 0; i < std::min(rows, result.entries.size()); ++i) {
    const RankingEntry& entry = result.entries[i];
    const auto [up, down] = shown(entry, result.impact);
    const bool replaced = result.impact == Impact::Postfit && entry.sigma == SigmaSource::Prefit;
    table.row({fmt::format("{}", i + 1), model.parameters()[entry.parameter].name, signed_number(up),
               signed_number(down), std::isfinite(entry.pull) ? fmt::format("{:+.2f}", entry.pull) : "-",
               std::isfinite(entry.constraint) ? fmt::format("{:.2f}", entry.constraint) : "-",
               bar(up, down, largest),
               !entry.converged ? "not converged"
               : replaced       ? "at bound, pre-fit sigma"
                                : ""});
  }
  std::string text = table.text();
  if (result.entries.size() > rows)
    text += fmt::format("({} smaller ones: --top N or --format json)\n", result.entries.size() - rows);
  return text;
}

std::string groups_table(const RankingResult& result) {
  std::vector<GroupImpact> groups = result.groups;
  std::stable_sort(groups.begin(), groups.end(),
                   [](const GroupImpact& a, const GroupImpact& b) { return a.impact > b.impact; });
  Table table({{"group", Align::Left}, {"parameters", Align::Right}, {"impact", Align::Right}});
  for (const GroupImpact& group : groups)
    table.row({group.name, fmt::format("{}", group.members),
               std::isfinite(group.impact) ? fmt::format("{:.4g}", group.impact) : "-"});
  return "\n" + table.text();
}

std::string text_of(const Model& model, const RankingResult& result, std::size_t rows) {
  const bool after = result.impact == Impact::Postfit;
  std::string text = fmt::format(
      "POI       {} = {}{}\n", printable(model.parameters()[result.poi].name), short_number(result.mu_hat),
      std::isfinite(result.mu_sigma) ? " +- " + short_number(result.mu_sigma) : "");
  text += fmt::format("impact    {}\n", after ? "best fit +- post-fit sigma" : "center +- pre-fit sigma");
  text += fmt::format("fits      {}{}\n\n", result.fits,
                      result.interrupted ? ", interrupted"
                      : result.converged ? ", all converged"
                                         : "");
  text += ranking_table(model, result, rows);
  if (!result.groups.empty()) text += groups_table(result);
  return text + warning_lines(result.warnings);
}

bool groups_exist(const RankingResult& result) {
  return std::all_of(result.groups.begin(), result.groups.end(),
                     [](const GroupImpact& group) { return std::isfinite(group.impact); });
}

class RankingVerb final : public Verb {
 public:
  void declare(CLI::App& command) override {
    input_.declare(command);
    add_choice(command, "--impact", options_.impact,
               "Sort by the shift for best fit +- post-fit sigma, or for center +- pre-fit sigma", impacts(),
               parse_impact);
    command
        .add_option("--groups", groups_,
                    "JSON file {\"group\": [names, sets or patterns with * and ?]}: the impact of all "
                    "members together")
        ->type_name("FILE");
    command.add_option("--top", options_.top, "Only the N largest (0 = all)")
        ->transform(whole_number(0, 100'000'000))
        ->type_name("N");
    command.footer("Example: nextstat ranking workspace.json --top 10");
  }

  int run(Console& console) override {
    Result<Run> run = input_.start(console);
    if (!run) return console.fail(run.errors());
    options_.run = run->options;
    if (!groups_.empty()) {
      Result<std::vector<RankingGroup>> groups = read_groups(groups_);
      if (!groups) return console.fail(groups.errors());
      options_.groups = std::move(*groups);
    }
    const Result<RankingResult> result = run->timed([&] { return ranking(run->model(), options_); });
    if (!result) return run->fail(console, result.errors());
    nlohmann::json json = ranking_json(run->model(), *result);
    run->add_header(json, "nextstat/ranking/1", result->device);
    const std::size_t rows = options_.top > 0 ? options_.top : kShown;
    return console.result(json, text_of(run->model(), *result, rows),
                          exit_code(result->converged, result->interrupted, groups_exist(*result)));
  }

 private:
  RunInput input_;
  RankingOptions options_;
  std::string groups_;
};

}  // namespace

std::unique_ptr<Verb> make_ranking() { return std::make_unique<RankingVerb>(); }

}  // namespace nextstat::cli
