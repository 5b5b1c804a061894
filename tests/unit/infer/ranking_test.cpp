// A ranking gives the shifts that direct refits give, one by one.
#include <gtest/gtest.h>
#include <nextstat/fit.h>
#include <nextstat/ranking.h>
#include <nextstat/result_json.h>

#include <algorithm>
#include <cmath>
#include <stop_token>

#include "infer/profile/ranking_groups.h"
#include "unit/infer/profile_cases.h"

namespace nextstat {
namespace {

using test::direct_fit;

constexpr double kShift = 1e-6;  // of sigma(POI): where two fits that converged may end

double clipped(const Parameter& parameter, double value) {
  return std::clamp(value, parameter.low, parameter.high);
}

// Pre-fit center and sigma as the constraint's own formulas give them.
std::pair<double, double> before_fit(const Parameter& parameter) {
  if (parameter.constraint == Constraint::Normal) return {parameter.center, parameter.width};
  if (parameter.constraint == Constraint::Poisson)
    return {parameter.center / parameter.width, 1 / std::sqrt(parameter.width)};
  return {std::nan(""), std::nan("")};
}

void expect_direct_refits(const Model& model, const RankingEntry& entry, const FitResult& best) {
  const Parameter& parameter = model.parameters()[entry.parameter];
  SCOPED_TRACE(parameter.name);
  const std::size_t poi = *model.poi_index();
  const double tolerance = kShift * best.uncertainties[poi];
  const auto shift = [&](double value) {
    return direct_fit(model, {{entry.parameter, clipped(parameter, value)}}).parameters[poi] -
           best.bestfit[poi];
  };
  const double fit = best.bestfit[entry.parameter], sigma = best.uncertainties[entry.parameter];
  const auto [center, width] = before_fit(parameter);
  EXPECT_TRUE(entry.converged);
  if (!std::isnan(sigma)) {
    EXPECT_NEAR(entry.impact_up, shift(fit + sigma), tolerance);
    EXPECT_NEAR(entry.impact_down, shift(fit - sigma), tolerance);
  }
  if (std::isnan(width)) {
    EXPECT_TRUE(std::isnan(entry.pull) && std::isnan(entry.constraint));
    EXPECT_TRUE(std::isnan(entry.impact_up_prefit) && std::isnan(entry.impact_down_prefit));
    return;
  }
  EXPECT_NEAR(entry.impact_up_prefit, shift(center + width), tolerance);
  EXPECT_NEAR(entry.impact_down_prefit, shift(center - width), tolerance);
  EXPECT_NEAR(entry.pull, (fit - center) / width, 1e-12 * (1 + std::abs(entry.pull)));
  if (!std::isnan(sigma)) {
    EXPECT_NEAR(entry.constraint, sigma / width, 1e-12);
  }
}

TEST(Ranking, GivesTheShiftsOfDirectRefits) {
  const Model model = test::all_modifiers();
  const RankingResult result = ranking(model).value();
  const FitResult best = fit(model).value();
  EXPECT_TRUE(result.converged);
  std::size_t free = 0;
  for (const Parameter& parameter : model.parameters()) free += parameter.fixed ? 0 : 1;
  EXPECT_EQ(result.entries.size(), free - 1);
  for (const RankingEntry& entry : result.entries) expect_direct_refits(model, entry, best);
}

TEST(Ranking, GivesTheShiftsOfDirectRefitsOnRealWorkspaces) {
  NEXTSTAT_NEEDS_DATA();
  for (const char* name : {"thu.json", "tttt.json"}) {
    const Model model = test::model_of(reference::read_data(name));
    const RankingResult result = ranking(model, {.top = 12}).value();
    const FitResult best = fit(model).value();
    ASSERT_EQ(result.entries.size(), 12u);
    for (const RankingEntry& entry : result.entries) expect_direct_refits(model, entry, best);
  }
}

TEST(Ranking, IsSortedByTheImpactAskedFor) {
  const Model model = test::all_modifiers();
  for (Impact kind : {Impact::Postfit, Impact::Prefit}) {
    const RankingResult result = ranking(model, {.impact = kind}).value();
    double last = INFINITY;
    bool without = false;
    for (const RankingEntry& entry : result.entries) {
      const double up = kind == Impact::Postfit ? entry.impact_up : entry.impact_up_prefit;
      const double down = kind == Impact::Postfit ? entry.impact_down : entry.impact_down_prefit;
      if (std::isnan(up)) {
        without = true;  // those without an impact come last
        continue;
      }
      EXPECT_FALSE(without);
      EXPECT_LE(std::max(std::abs(up), std::abs(down)), last);
      last = std::max(std::abs(up), std::abs(down));
    }
  }
}

TEST(Ranking, LeavesOutFixedParametersAndKeepsTheTop) {
  const Model model = test::all_modifiers();
  const RankingResult result =
      ranking(model, {.run = {.fixed = {{"stat_control", 1.0}, {"lumi", 1.0}}}}).value();
  for (const RankingEntry& entry : result.entries) {
    EXPECT_NE(model.parameters()[entry.parameter].set, "stat_control");
    EXPECT_NE(model.parameters()[entry.parameter].name, "lumi");
    EXPECT_NE(entry.parameter, result.poi);
  }
  EXPECT_EQ(ranking(model, {.top = 3})->entries.size(), 3u);
}

// Entries do not depend on each other: parts put together are the whole, to the bit.
TEST(Ranking, PartsPutTogetherAreTheWhole) {
  const Model model = test::all_modifiers();
  const RankingOptions options{.groups = {{"all", {"*"}}}};
  const RankingResult whole = ranking(model, options).value();
  RankingOptions rest = options;
  for (const char* name : {"lumi", "stat_control"}) {
    RankingOptions part = options;
    part.parameters = {name};
    const RankingResult found = ranking(model, part).value();
    ASSERT_FALSE(found.entries.empty());
    for (const RankingEntry& entry : found.entries) {
      EXPECT_EQ(model.parameters()[entry.parameter].set, name);
      rest.known.push_back(entry);
    }
  }
  rest.run.threads = 1;
  const RankingResult together = ranking(model, rest).value();
  EXPECT_EQ(ranking_json(model, together), ranking_json(model, whole));
  EXPECT_EQ(together.fits, whole.fits);
  EXPECT_FALSE(ranking(model, {.parameters = {"no_such_name"}}));
  const RankingResult none =
      ranking(model, {.parameters = {model.parameters()[*model.poi_index()].name}}).value();
  EXPECT_TRUE(none.entries.empty());
  EXPECT_NE(none.warnings.back().find("not ranked"), std::string::npos);
}

// A parameter at its bound has no post-fit sigma. Constrained: the constraint's is used. Free: none.
TEST(Ranking, SaysWhatItDoesAtABound) {
  const Model model = test::two_bins({51, 48}, -5);
  const RankingResult held = ranking(model, {.run = {.bounds = {{"uncertainty[1]", 0.99, 1.5}}}}).value();
  const auto at_bound = std::find_if(held.entries.begin(), held.entries.end(), [&](const auto& entry) {
    return model.parameters()[entry.parameter].name == "uncertainty[1]";
  });
  ASSERT_NE(at_bound, held.entries.end());
  EXPECT_EQ(at_bound->sigma, SigmaSource::Prefit);
  EXPECT_TRUE(std::isfinite(at_bound->impact_up));
  EXPECT_EQ(at_bound->impact_down, 0.0);  // clipped to the bound, where it already is
  EXPECT_TRUE(std::isnan(at_bound->constraint));
  const Model all = test::all_modifiers();
  const RankingResult free = ranking(all).value();
  const FitResult best = fit(all).value();
  for (const RankingEntry& entry : free.entries) {
    if (!std::isnan(best.uncertainties[entry.parameter])) continue;
    EXPECT_EQ(entry.sigma, SigmaSource::None);
    EXPECT_TRUE(std::isnan(entry.impact_up) && std::isnan(entry.impact_down));
  }
}

TEST(Ranking, WithThePoiAtItsBoundIsOneSidedAndSaysSo) {
  const RankingResult result = ranking(test::two_bins({51, 48}), {.groups = {{"all", {"*"}}}}).value();
  EXPECT_EQ(result.mu_hat, 0.0);
  EXPECT_TRUE(std::isnan(result.mu_sigma));
  EXPECT_TRUE(std::isnan(result.groups[0].impact));
  EXPECT_FALSE(result.warnings.empty());
  for (const RankingEntry& entry : result.entries) {
    EXPECT_GE(entry.impact_up, 0.0);
    EXPECT_GE(entry.impact_down, 0.0);
    EXPECT_FALSE(std::signbit(entry.impact_up) || std::signbit(entry.impact_down));
  }
}

// sigma of the POI with the members fixed at the best fit, from a fit of its own with its own Hessian.
TEST(Ranking, GroupImpactIsTheDifferenceOfTwoFits) {
  const Model model = test::all_modifiers();
  const std::vector<RankingGroup> groups = {{"staterror", {"stat_*"}},
                                            {"theory", {"modeling", "acceptance"}},
                                            {"everything", {"*"}},
                                            {"one", {"stat_control[0]"}}};
  const RankingResult result = ranking(model, {.groups = groups}).value();
  const FitResult best = fit(model).value();
  const std::size_t poi = *model.poi_index();
  for (std::size_t g = 0; g < groups.size(); ++g) {
    SCOPED_TRACE(groups[g].name);
    FitOptions options;
    for (std::size_t i = 0; i < model.n_parameters(); ++i) {
      const std::string& name = model.parameters()[i].name;
      const bool member = std::any_of(groups[g].members.begin(), groups[g].members.end(),
                                      [&](const auto& m) { return matches_pattern(m, name); });
      if (member && i != poi) options.run.fixed.push_back({name, best.bestfit[i]});
      options.run.init.push_back({name, best.bestfit[i]});
    }
    const FitResult fixed = fit(model, options).value();
    const double expected =
        std::sqrt(std::pow(best.uncertainties[poi], 2) - std::pow(fixed.uncertainties[poi], 2));
    EXPECT_NEAR(result.groups[g].impact, expected, 1e-8 * best.uncertainties[poi]);
    EXPECT_GT(result.groups[g].members, 0u);
  }
}

TEST(Ranking, AGroupThatMeansNothingIsAnError) {
  const auto refused = ranking(test::all_modifiers(), {.groups = {{"theory", {"modelingg", "x*"}}}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.errors().size(), 2u);
  EXPECT_NE(refused.errors()[0].where.inside.find("theory"), std::string::npos);
}

TEST(Ranking, PatternsMatchAsInAShell) {
  EXPECT_TRUE(matches_pattern("*", ""));
  EXPECT_TRUE(matches_pattern("a*c", "abbc"));
  EXPECT_TRUE(matches_pattern("gamma[?]", "gamma[3]"));
  EXPECT_TRUE(matches_pattern("*a*b", "xaxbxb"));
  EXPECT_FALSE(matches_pattern("a*c", "abcd"));
  EXPECT_FALSE(matches_pattern("a?", "a"));
}

TEST(Ranking, DoesNotDependOnThreadsOrOnWhatElseIsRanked) {
  const Model model = test::all_modifiers();
  const RankingResult one = ranking(model, {.run = {.threads = 1}}).value();
  const RankingResult two = ranking(model, {.run = {.threads = 2}}).value();
  ASSERT_EQ(one.entries.size(), two.entries.size());
  for (std::size_t i = 0; i < one.entries.size(); ++i) {
    EXPECT_EQ(one.entries[i].parameter, two.entries[i].parameter);
    if (std::isnan(one.entries[i].impact_up)) continue;
    EXPECT_EQ(one.entries[i].impact_up, two.entries[i].impact_up);
    EXPECT_EQ(one.entries[i].impact_down, two.entries[i].impact_down);
  }
}

TEST(Ranking, RefusesAFixedPoi) {
  EXPECT_FALSE(ranking(test::two_bins({60, 62}), {.run = {.fixed = {{"mu", 1.0}}}}));
}

TEST(Ranking, AStopTokenKeepsWhatIsFinished) {
  const Model model = test::all_modifiers();
  std::stop_source source;
  source.request_stop();
  const RankingResult result = ranking(model, {.run = {.stop = source.get_token()}}).value();
  EXPECT_TRUE(result.interrupted);
  EXPECT_FALSE(result.converged);
  EXPECT_TRUE(result.entries.empty());
}

}  // namespace
}  // namespace nextstat
