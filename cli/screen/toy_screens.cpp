#include "screen/toy_screens.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "screen/console.h"
#include "screen/rounding.h"
#include "screen/table.h"
#include "screen/test_screen.h"
#include "screen/voice.h"

namespace nextstat::cli {
namespace {

constexpr double kAlpha = 0.05;

std::string tails_table(const HypotestToysResult& result, bool expected_set) {
  const bool discovery = result.statistic == TestStatistic::Q0;
  std::vector<std::pair<std::string, Align>> columns = {
      {"", Align::Left}, {discovery ? "p0" : "CLsb", Align::Left}, {"CLb", Align::Left}};
  if (!discovery) columns.emplace_back("CLs", Align::Left);
  Table table(columns);
  const auto row = [&](const std::string& name, std::vector<std::string> cells) {
    if (discovery) cells.pop_back();
    cells.insert(cells.begin(), name);
    table.row(cells);
  };
  const ToyProbabilities& seen = result.observed;
  row("observed", {with_error(seen.clsb, seen.clsb_error), with_error(seen.clb, seen.clb_error),
                   with_error(seen.cls, seen.cls_error)});
  for (std::size_t i = 0; expected_set && i < result.expected.size(); ++i) {
    const TailProbabilities& tails = result.expected[i];
    row("expected " + band_names()[i],
        {short_number(tails.clsb, 4), short_number(tails.clb, 4), short_number(tails.cls, 4)});
  }
  return table.text();
}

std::string counts_table(const HypotestToysResult& result) {
  const bool discovery = result.statistic == TestStatistic::Q0;
  Table table({{"toys", Align::Left},
               {"done", Align::Right},
               {"not converged", Align::Right},
               {"without likelihood", Align::Right}});
  const auto row = [&](const std::string& name, std::size_t ToyCounts::*side) {
    table.row({name, fmt::format("{}", result.n_toys.*side), fmt::format("{}", result.n_nonconverged.*side),
               fmt::format("{}", result.n_error.*side)});
  };
  row(discovery ? "background" : "signal + background", &ToyCounts::tested);
  row(discovery ? "signal + background" : "background", &ToyCounts::alternative);
  return table.text();
}

// Toys may leave it open.
std::string verdict(const std::string& poi, const HypotestToysResult& result) {
  const ToyProbabilities& seen = result.observed;
  if (!std::isfinite(seen.cls) || !result.converged || !result.complete) return "";
  const std::string cls = with_error(seen.cls, seen.cls_error);
  if (std::abs(seen.cls - kAlpha) < 2 * seen.cls_error)
    return fmt::format(
        "\nCLs = {} is within two standard errors of {}: more toys are needed to tell whether {} = {:.6g} is "
        "excluded\n",
        cls, kAlpha, poi, result.mu_test);
  const bool excluded = seen.cls < kAlpha;
  return fmt::format("\n{} = {:.6g} is {} at 95% CL: CLs = {} {} {}\n", poi, result.mu_test,
                     excluded ? "excluded" : "not excluded", cls, excluded ? "<" : ">", kAlpha);
}

// What a run that is not complete has.
template <class R>
std::string state_lines(const R& result) {
  std::string text;
  if (!result.converged) text += "NOT CONVERGED: a fit to the data\n";
  if (result.interrupted) return text + "interrupted\n";
  if (!result.complete) text += "not complete: toys of other shards are missing\n";
  return text;
}

}  // namespace

std::string with_error(double value, double error) {
  if (std::isfinite(value) && std::isfinite(error) && error > 0) return rounded(value, error).text();
  return short_number(value);
}

std::string hypotest_toys_screen(const Model& model, const HypotestToysResult& result, bool expected_set) {
  const std::string poi = printable(model.poi_name());
  std::string text = fmt::format("test of {} = {:.6g} with {}, from toys, seed {}\n", poi, result.mu_test,
                                 to_string(result.statistic), result.seed);
  text += state_lines(result);
  text += fmt::format("best fit {} = {}, q = {}\n\n", poi, short_number(result.mu_hat),
                      short_number(result.q_obs));
  text += tails_table(result, expected_set) + "\n" + counts_table(result) + verdict(poi, result);
  return text + warning_block(result.warnings);
}

std::string toys_screen(const Model& model, const ToysResult& result, const std::string& folder) {
  const std::string poi = printable(model.poi_name());
  std::string text =
      fmt::format("toys            {} of {}, seed {}\n", result.n_done, result.n_toys, result.seed);
  text += state_lines(result);
  if (!folder.empty()) text += fmt::format("folder          {}\n", printable(folder));
  text += fmt::format("not converged   {}\nno likelihood   {}\nmean steps      {:.1f}\n",
                      result.n_nonconverged, result.n_error, result.mean_iterations);
  if (model.poi_index()) {
    const double truth = result.truth.empty() ? NAN : result.truth[*model.poi_index()];
    const double mean = result.mean_mu_hat.value_or(NAN), sigma = result.sigma_mu_hat.value_or(NAN);
    const double used = static_cast<double>(result.n_done - result.n_error - result.n_nonconverged);
    text +=
        fmt::format("\n{}\n  truth         {}\n  mean          {}\n  sigma         {}\n", poi,
                    short_number(truth), with_error(mean, sigma / std::sqrt(used)), short_number(sigma, 4));
  }
  return text + warning_block(result.warnings);
}

namespace {

constexpr std::size_t kMostPoints = 20;

std::string z_text(double z, double error, double bound) {
  return std::isfinite(bound) ? fmt::format("> {:.3g} (95% CL)", bound) : with_error(z, error);
}

// Every point, or those nearest to the ends of the interval.
std::vector<FeldmanCousinsPoint> shown_points(const FeldmanCousinsResult& result) {
  std::vector<FeldmanCousinsPoint> points = result.points;
  if (points.size() <= kMostPoints) return points;
  const auto distance = [&](const FeldmanCousinsPoint& point) {
    const double low = std::abs(point.value - result.lower), high = std::abs(point.value - result.upper);
    return std::fmin(low, high);
  };
  std::stable_sort(points.begin(), points.end(),
                   [&](const auto& a, const auto& b) { return distance(a) < distance(b); });
  points.resize(kMostPoints);
  std::sort(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.value < b.value; });
  return points;
}

std::string end_text(double value, double error, IntervalEnd end) {
  if (end == IntervalEnd::Found) return with_error(value, error);
  if (end == IntervalEnd::Bound) return short_number(value) + " (bound)";
  return end == IntervalEnd::Open ? "open" : "-";
}

}  // namespace

std::string significance_toys_screen(const Model& model, const SignificanceToysResult& result) {
  const std::string poi = printable(model.poi_name());
  const SignificanceResult& other = result.asymptotic;
  std::string text =
      fmt::format("test of the background-only hypothesis, {} = 0, from toys, seed {}\n", poi, result.seed);
  text += state_line(result.converged, result.interrupted);
  text += fmt::format("best fit {} = {}, q0 = {}\n", poi, short_number(other.mu_hat), short_number(other.q0));
  text += fmt::format("{} toys of the background, {} at {} = 1\n\n", result.n_toys.tested,
                      result.n_toys.alternative, poi);
  Table table({{"", Align::Left}, {"Z", Align::Left}, {"p0", Align::Left}, {"asymptotic Z", Align::Right}});
  table.row({"observed", z_text(result.z_obs, result.z_obs_error, result.z_obs_bound),
             with_error(result.p0, result.p0_error), short_number(other.z_obs, 4)});
  table.row({fmt::format("expected at {} = 1", poi),
             z_text(result.z_exp, result.z_exp_error, result.z_exp_bound),
             with_error(result.p0_exp, result.p0_exp_error), short_number(other.z_exp, 4)});
  return text + table.text() + warning_block(result.warnings);
}

std::string goodness_of_fit_toys_screen(const GoodnessOfFitToysResult& result) {
  const GoodnessOfFit& goodness = result.data.goodness;
  std::string text = "goodness of fit against the saturated model\n";
  text += state_line(result.data.converged, result.data.interrupted);
  text += fmt::format("chi2 / ndof    {} / {}\n", short_number(goodness.chi2), goodness.ndof);
  text += fmt::format("p-value        {} ({} toys, seed {}; mean chi2 {})\n",
                      with_error(result.p_value, result.p_value_error), result.n_toys, result.seed,
                      short_number(result.mean_chi2, 4));
  text += fmt::format("asymptotic     {}\n", short_number(goodness.p_value));
  text += fmt::format("NLL            {:.6f}\n", goodness.nll_fit);
  text += fmt::format("NLL saturated  {:.6f}\n", goodness.nll_saturated);
  return text + warning_block(result.data.warnings);
}

std::string upper_limit_toys_screen(const Model& model, const UpperLimitToysResult& result) {
  const std::string poi = printable(model.poi_name());
  std::string text = fmt::format("upper limit on {} at {} CL, CLs with {}, from toys, seed {}\n", poi,
                                 percent(result.confidence_level), to_string(result.statistic), result.seed);
  text += state_line(result.converged, result.interrupted);
  text += fmt::format("best fit {} = {}, {} toys at {} values\n\n", poi, short_number(result.mu_hat),
                      result.n_toys, result.points.size());
  Table table({{"", Align::Left}, {"limit", Align::Left}, {"asymptotic", Align::Right}});
  table.row({"observed", with_error(result.observed, result.observed_error),
             short_number(result.observed_asymptotic, 4)});
  for (std::size_t i = 0; i < result.expected.size(); ++i)
    table.row({"expected " + band_names()[i], with_error(result.expected[i], result.expected_errors[i]),
               short_number(result.expected_asymptotic[i], 4)});
  text += table.text();
  UpperLimitResult drawn;
  drawn.observed = result.observed;
  drawn.expected = result.expected;
  if (std::is_sorted(drawn.expected.begin(), drawn.expected.end())) {
    if (const std::string picture = band_picture(drawn); !picture.empty()) text.append("\n").append(picture);
  }
  return text + warning_block(result.warnings);
}

std::string feldman_cousins_screen(const Model& model, const FeldmanCousinsResult& result) {
  std::string text = fmt::format("parameter  {}\n", printable(model.parameters()[result.parameter].name));
  text += fmt::format("best fit   {}\n", short_number(result.bestfit));
  text += fmt::format("interval   [{}, {}]  at {:.6g} % confidence level, Feldman-Cousins\n",
                      end_text(result.lower, result.lower_error, result.lower_end),
                      end_text(result.upper, result.upper_error, result.upper_end),
                      100 * result.confidence_level);
  text +=
      fmt::format("toys       {} at {} values, seed {}\n", result.n_toys, result.points.size(), result.seed);
  text += state_line(result.converged, result.interrupted);
  Table table({{"value", Align::Right},
               {"q", Align::Right},
               {"q critical", Align::Left},
               {"p-value", Align::Left},
               {"", Align::Left}});
  const std::vector<FeldmanCousinsPoint> points = shown_points(result);
  for (const FeldmanCousinsPoint& point : points)
    table.row({short_number(point.value, 5), short_number(point.q, 4),
               with_error(point.q_critical, point.q_critical_error),
               with_error(point.p_value, point.p_value_error), point.inside ? "inside" : ""});
  if (!points.empty()) text.append("\n").append(table.text());
  if (points.size() < result.points.size())
    text += fmt::format("... {} more: --format json\n", result.points.size() - points.size());
  return text + warning_block(result.warnings);
}

namespace {

constexpr std::size_t kMostShown = 10;

std::string more(std::size_t count) {
  return count > kMostShown ? fmt::format("... and {} more\n", count - kMostShown) : "";
}

void add_row(Table& table, const std::string& name, const BlockTally& tally) {
  table.row({name, fmt::format("{}", tally.toys), fmt::format("{}", tally.toys_done),
             fmt::format("{:.1f} %", tally.percent()), fmt::format("{}", tally.blocks),
             fmt::format("{}", tally.missing), fmt::format("{}", tally.damaged + tally.foreign)});
}

Table tally_table(const std::string& first_column) {
  return Table({{first_column, Align::Left},
                {"toys", Align::Right},
                {"done", Align::Right},
                {"", Align::Right},
                {"blocks", Align::Right},
                {"missing", Align::Right},
                {"damaged", Align::Right}});
}

std::string value_text(const Json& value) {
  if (value.is_string()) return printable(value.get<std::string>());
  if (!value.is_object() || value.empty()) return printable(dump_json(value));
  std::string text;
  for (const auto& item : value.items())
    text +=
        fmt::format("{}{} = {}", text.empty() ? "" : ", ", printable(item.key()), value_text(item.value()));
  return text;
}

std::string identity_lines(const RunIdentity& identity) {
  std::vector<std::pair<std::string, std::string>> lines;
  for (const auto& [name, value] : identity.labels) lines.emplace_back(printable(name), printable(value));
  for (const auto& item : identity.settings.items())
    lines.emplace_back(printable(item.key()), value_text(item.value()));
  std::string columns;
  for (const std::string& column : identity.columns)
    columns += (columns.empty() ? "" : ", ") + printable(column);
  lines.emplace_back("columns", columns);
  std::size_t widest = 0;
  for (const auto& line : lines) widest = std::max(widest, line.first.size());
  std::string text =
      fmt::format("{}, seed {}, nextstat {}, {} toys per block\n", printable(identity.kind), identity.seed,
                  printable(identity.nextstat_version), identity.toys_per_block);
  for (const auto& [name, value] : lines) text += fmt::format("{:<{}}  {}\n", name, widest, value);
  return text;
}

std::string open_line(const RunStatus& status) {
  const auto ranges = status.open_ranges();
  if (ranges.empty()) return "";
  std::string text = "blocks to compute:";
  for (std::size_t i = 0; i < ranges.size() && i < kMostShown; ++i) {
    const auto& [first, last] = ranges[i];
    text += (i == 0 ? " " : ", ") +
            (first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last));
  }
  return text + (ranges.size() > kMostShown ? ", ...\n" : "\n");
}

std::string verdict(const RunStatus& status) {
  const BlockTally all = status.tally();
  if (all.complete()) return "complete\n";
  std::string text =
      fmt::format("not complete: {} of {} toys remain to be computed\n", all.toys - all.toys_done, all.toys);
  if (all.missing + all.damaged > 0) text += "the run's command with --resume computes only these\n";
  if (all.foreign > 0) text += "the folder has files of another run or format: move them elsewhere\n";
  return text;
}

}  // namespace

std::string run_status_screen(const RunStatus& status, std::size_t shards) {
  const RunIdentity& identity = status.identity;
  std::string text = identity_lines(identity) + "\n";
  Table ensembles = tally_table("ensemble");
  for (std::size_t i = 0; i < identity.ensembles.size(); ++i) {
    add_row(ensembles, identity.ensembles[i].name, status.tally_of_ensemble(i));
  }
  if (identity.ensembles.size() > 1) add_row(ensembles, "all", status.tally());
  text += ensembles.text() + "\n";
  if (shards > 0) {
    Table table = tally_table("shard");
    for (std::size_t index = 1; index <= shards; ++index) {
      add_row(table, fmt::format("{}/{}", index, shards), status.tally({index, shards}));
    }
    text += table.text() + "\n";
  }
  for (std::size_t i = 0; i < status.problems.size() && i < kMostShown; ++i) {
    const BlockProblem& problem = status.problems[i];
    text += fmt::format("{}: {} {}\n", to_string(problem.condition), printable(problem.file),
                        printable(problem.what));
  }
  return text + more(status.problems.size()) + open_line(status) + verdict(status);
}

std::string merge_screen(const MergeReport& report, const std::string& folder) {
  std::string text = run_status_screen(report.status, 0);
  text += fmt::format("{} blocks were copied to {}\n", report.copied, printable(folder));
  for (std::size_t i = 0; i < report.problems.size() && i < kMostShown; ++i) {
    const Error& problem = report.problems[i];
    text += fmt::format("not usable: {} {}\n  hint: {}\n", printable(to_text(problem.where)),
                        printable(problem.what), printable(to_text(problem.hint, voice())));
  }
  return text + more(report.problems.size());
}

int run_exit_code(const RunStatus& status) {
  if (!status.problems.empty()) return kBadInput;
  return status.tally().complete() ? kDone : kNotConverged;
}

}  // namespace nextstat::cli
