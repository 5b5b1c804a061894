// Mass scans: the numbers of single questions, in order, for any number of threads; bad points stay alone.
#include <gtest/gtest.h>
#include <nextstat/documents.h>
#include <nextstat/mass_scan.h>

#include <stop_token>

#include "unit/infer/profile_cases.h"

namespace nextstat {
namespace {

using nlohmann::json;

json background() {
  json document = reference::two_bins_workspace({51, 48});
  document["channels"][0]["samples"].erase(0);
  return document;
}

json signal_patch(const std::string& name, double mass, const std::vector<double>& yields) {
  const json sample =
      reference::sample("signal", yields, json::array({reference::modifier("mu", "normfactor")}));
  const json add = {{"op", "add"}, {"path", "/channels/0/samples/0"}, {"value", sample}};
  return {{"metadata", {{"name", name}, {"values", json::array({mass})}}}, {"patch", json::array({add})}};
}

// Heavy, broken (three yields in a channel of two bins), light.
std::string patchset() {
  const json about = {{"name", "signals"},
                      {"description", "three masses"},
                      {"labels", {"m"}},
                      {"references", {{"hepdata", "ins1234567"}}},
                      {"digests", {{"sha256", digest(background()).value()}}}};
  return json{{"version", "1.0.0"},
              {"metadata", about},
              {"patches",
               {signal_patch("heavy", 900, {1.2, 3.0}), signal_patch("broken", 500, {1, 2, 3}),
                signal_patch("light", 100, {12, 11})}}}
      .dump();
}

std::vector<MassPointSource> points() { return patchset_points(background().dump(), patchset()).value(); }

TEST(MassScan, GivesTheNumbersOfSingleQuestionsInThePatchsetsOrder) {
  const MassScanResult result = mass_scan(points()).value();
  ASSERT_EQ(result.points.size(), 3u);
  EXPECT_EQ(result.points[0].label, "heavy");
  EXPECT_EQ(std::get<double>(result.points[0].values[0]), 900);
  const Model light = test::two_bins({51, 48});
  const MassPoint& point = result.points[2];
  EXPECT_EQ(point.label, "light");
  EXPECT_TRUE(point.converged());
  EXPECT_NEAR(point.limit.observed, upper_limit(light).value().observed, 1e-7);
  EXPECT_NEAR(point.test.observed.cls, hypotest(light).value().observed.cls, 1e-9);
}

TEST(MassScan, ABadPointSaysSoInItsEntryAndTheOthersGoOn) {
  const MassScanResult result = mass_scan(points()).value();
  EXPECT_TRUE(result.points[0].converged());
  ASSERT_FALSE(result.points[1].errors.empty());
  EXPECT_NE(result.points[1].errors[0].where.inside.find("/channels/0/samples"), std::string::npos);
  EXPECT_TRUE(result.points[2].converged());
  EXPECT_FALSE(result.converged);
}

TEST(MassScan, DoesNotDependOnThreads) {
  const MassScanResult one = mass_scan(points(), {.run = {.threads = 1}}).value();
  const MassScanResult two = mass_scan(points(), {.run = {.threads = 2}}).value();
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(one.points[i].label, two.points[i].label);
    EXPECT_EQ(one.points[i].limit.expected, two.points[i].limit.expected);
    EXPECT_EQ(one.points[i].test.q_mu, two.points[i].test.q_mu);
  }
}

TEST(MassScan, KeepsFinishedPointsWhenStopped) {
  std::stop_source stop;
  MassScanOptions options;
  options.run.threads = 1;
  options.run.stop = stop.get_token();
  options.run.on_progress = [&](std::size_t done, std::size_t) {
    if (done == 1) stop.request_stop();
  };
  const MassScanResult result = mass_scan(points(), options).value();
  EXPECT_TRUE(result.interrupted);
  ASSERT_EQ(result.points.size(), 1u);
  EXPECT_EQ(result.points[0].label, "heavy");
}

TEST(MassScan, RefusesAnotherBackgroundAndSenselessOptions) {
  json other = background();
  other["observations"][0]["data"] = {1, 2};
  const auto refused = patchset_points(other.dump(), patchset());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.errors()[0].where.inside, "/metadata/digests/sha256");
  EXPECT_FALSE(mass_scan(points(), {.confidence_level = 2}));
}

}  // namespace
}  // namespace nextstat
