#include "toy_test_screen.h"

#include <fmt/format.h>

#include <cmath>

#include "console.h"
#include "rounding.h"
#include "table.h"
#include "test_screen.h"

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
  const std::string warnings = warning_lines(result.warnings);
  return warnings.empty() ? text : text + "\n" + warnings;
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
  const std::string warnings = warning_lines(result.warnings);
  return warnings.empty() ? text : text + "\n" + warnings;
}

}  // namespace nextstat::cli
