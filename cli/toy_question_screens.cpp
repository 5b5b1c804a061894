#include "toy_question_screens.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "console.h"
#include "table.h"
#include "test_screen.h"
#include "toy_test_screen.h"

namespace nextstat::cli {
namespace {

constexpr std::size_t kMostPoints = 20;

std::string state_line(bool converged, bool interrupted) {
  if (interrupted) return "interrupted\n";
  return converged ? "" : "NOT CONVERGED\n";
}

std::string with_warnings(std::string text, const std::vector<std::string>& warnings) {
  const std::string lines = warning_lines(warnings);
  return lines.empty() ? text : text + "\n" + lines;
}

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
  return with_warnings(text + table.text(), result.warnings);
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
  return with_warnings(text, result.data.warnings);
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
  return with_warnings(text, result.warnings);
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
  return with_warnings(text, result.warnings);
}

}  // namespace nextstat::cli
