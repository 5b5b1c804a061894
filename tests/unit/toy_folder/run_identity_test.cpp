#include "toy_folder/run_identity.h"

#include <gtest/gtest.h>

#include "toy_folder/run_plan.h"
#include "unit/toy_folder/synthetic_run.h"

namespace nextstat {
namespace {

using testing::synthetic_identity;
using testing::synthetic_plan;

TEST(RunIdentity, IsReadBackAsItWasWritten) {
  const RunIdentity identity = synthetic_identity();
  const Result<RunIdentity> back = read_identity(identity_text(identity));
  ASSERT_TRUE(back);
  EXPECT_EQ(identity_text(*back), identity_text(identity));
}

TEST(RunIdentity, KeepsSeedsOf64Bits) {
  RunIdentity identity = synthetic_identity();
  identity.seed = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(read_identity(identity_text(identity))->seed, identity.seed);
}

TEST(RunIdentity, TextThatIsNotItsOwnIsRefused) {
  const std::string text = identity_text(synthetic_identity());
  EXPECT_FALSE(read_identity(text + " "));
  EXPECT_FALSE(read_identity("{}"));
  EXPECT_FALSE(read_identity("[]"));
  EXPECT_FALSE(read_identity(text.substr(0, text.size() / 2)));
  std::string wrong = text;
  wrong.replace(wrong.find("\"seed\": 42"), 10, "\"seed\": -2");
  ASSERT_FALSE(read_identity(wrong));
  EXPECT_EQ(read_identity(wrong).errors().front().where.inside, "/seed");
}

TEST(RunIdentity, OneErrorNamesEveryFieldThatDiffersWithBothValues) {
  const RunIdentity a = synthetic_identity();
  EXPECT_TRUE(identity_differences(a, "a", a, "b", "").empty());
  RunIdentity b = a;
  b.seed = 43;
  b.nextstat_version = "0.2.0";
  b.settings["mu"] = 1.5;
  b.settings["fixed"]["lumi"] = 0.25;
  b.settings["bounds"]["mu"] = {0.0, 5.0};
  b.ensembles[1].n_toys = 31;
  const Errors errors = identity_differences(a, "a", b, "b", "hint");
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].where.inside, "a");
  EXPECT_EQ(
      errors[0].what,
      "is not the run in b: ensembles/1/n_toys is 30 here, 31 there; "
      "nextstat_version is \"0.1.0\" here, \"0.2.0\" there; seed is 42 here, 43 there; "
      "settings/bounds/mu/0 is missing here, 0.0 there; settings/bounds/mu/1 is missing here, 5.0 there; "
      "settings/fixed/lumi is 0.5 here, 0.25 there; settings/mu is 1.0 here, 1.5 there");
}

TEST(RunIdentity, OneErrorIsShortHoweverMuchDiffers) {
  RunIdentity a = synthetic_identity(), b = a;
  for (int i = 0; i < 1000; ++i) b.settings["bounds"]["parameter " + std::to_string(i)] = i;
  const Errors errors = identity_differences(a, "a", b, "b", "hint");
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_NE(errors[0].what.find("; and 988 more"), std::string::npos) << errors[0].what;
}

TEST(RunIdentity, LabelsAreKeptAndNotCompared) {
  const RunIdentity a = synthetic_identity();
  RunIdentity b = a;
  b.labels = {{"measurement", "pyhf"}};
  EXPECT_TRUE(identity_differences(a, "a", b, "b", "").empty());
  EXPECT_EQ(RunPlan::make(a)->checksum(), RunPlan::make(b)->checksum());
  EXPECT_EQ(read_identity(identity_text(b))->labels, b.labels);
}

RunIdentity earlier_identity() {
  RunIdentity identity = synthetic_identity();
  identity.schema = RunSchema::One;
  identity.settings = {{"mu", "1.0"}, {"model_sha256", "0123"}};
  identity.labels = {{"workspace_digest", std::string(64, 'a')}};
  return identity;
}

TEST(RunIdentity, TheFirstSchemaIsReadBackAsItWasWritten) {
  const RunIdentity identity = earlier_identity();
  const std::string text = identity_text(identity);
  EXPECT_NE(text.find("nextstat/toy-run/1"), std::string::npos);
  const Result<RunIdentity> back = read_identity(text);
  ASSERT_TRUE(back);
  EXPECT_EQ(identity_text(*back), text);
  EXPECT_EQ(workspace_digest(*back), std::string(64, 'a'));
  RunIdentity other = identity;
  other.labels["workspace_digest"] = "b";
  EXPECT_NE(RunPlan::make(identity)->checksum(), RunPlan::make(other)->checksum());
}

TEST(RunIdentity, TheFirstSchemaIsComparedInWhatBothKnow) {
  const RunIdentity earlier = earlier_identity();
  RunIdentity now = synthetic_identity();
  now.earlier_settings = {{"mu", "1.0"}, {"poi", "mu"}};
  EXPECT_TRUE(identity_differences(in_earlier_form(now, earlier), "a", earlier, "b", "").empty());
  now.earlier_settings["mu"] = "2.0";
  now.labels["workspace_digest"] = "c";
  const Errors errors = identity_differences(in_earlier_form(now, earlier), "a", earlier, "b", "");
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_NE(errors[0].what.find("settings/mu is \"2.0\" here, \"1.0\" there"), std::string::npos);
  EXPECT_NE(errors[0].what.find("workspace_digest is \"c\" here"), std::string::npos);
  EXPECT_EQ(identity_differences(now, "a", earlier, "b", "").size(), 1u);
}

TEST(RunPlan, BlocksCoverEveryToyOnceAndNeverTwoEnsembles) {
  const RunPlan plan = synthetic_plan(25, 30);
  ASSERT_EQ(plan.blocks(), 6u);
  std::vector<std::size_t> next = {0, 0};
  for (std::size_t number = 0; number < plan.blocks(); ++number) {
    const BlockRange range = plan.block(number);
    EXPECT_EQ(range.number, number);
    EXPECT_EQ(range.first, next[range.ensemble]);
    next[range.ensemble] += range.count;
  }
  EXPECT_EQ(next, (std::vector<std::size_t>{25, 30}));
  EXPECT_EQ(plan.toys(), 55u);
}

TEST(RunPlan, AnEmptyEnsembleHasNoBlocks) {
  const RunPlan plan = synthetic_plan(0, 5);
  ASSERT_EQ(plan.blocks(), 1u);
  EXPECT_EQ(plan.block(0).ensemble, 1u);
  EXPECT_EQ(plan.block(0).count, 5u);
}

TEST(RunPlan, EveryBlockHasOneShard) {
  const RunPlan plan = synthetic_plan(200, 305);
  for (const std::size_t count : {1, 2, 7, 16, 100}) {
    std::vector<int> owners(plan.blocks(), 0);
    for (std::size_t index = 1; index <= count; ++index) {
      for (const std::size_t number : plan.blocks_of({index, count})) ++owners[number];
    }
    EXPECT_EQ(owners, std::vector<int>(plan.blocks(), 1)) << count;
  }
}

TEST(RunPlan, WhatCannotBeStoredIsRefused) {
  RunIdentity identity = synthetic_identity();
  identity.toys_per_block = 0;
  EXPECT_FALSE(RunPlan::make(identity));
  identity = synthetic_identity(std::size_t{1} << 60);
  EXPECT_FALSE(RunPlan::make(identity));
  identity = synthetic_identity();
  identity.columns.clear();
  EXPECT_FALSE(RunPlan::make(identity));
}

TEST(RunPlan, SmallRunsHaveSmallBlocks) {
  EXPECT_EQ(suggested_toys_per_block(100), 10u);
  EXPECT_EQ(suggested_toys_per_block(20'000), 200u);
  EXPECT_EQ(suggested_toys_per_block(1'000'000), 1000u);
}

TEST(Shard, IsCountedFromOne) {
  const Result<Shard> shard = parse_shard("3/16");
  ASSERT_TRUE(shard);
  EXPECT_EQ(shard->index, 3u);
  EXPECT_EQ(shard->count, 16u);
  for (const char* wrong : {"0/16", "17/16", "3", "3/", "/16", "a/b", "-1/4", "1/0", "3/16 ", "1/99999999"}) {
    EXPECT_FALSE(parse_shard(wrong)) << wrong;
  }
  EXPECT_EQ(parse_shard("0/16").errors().front().hint.text, "add 1 to a job number that is counted from 0");
}

}  // namespace
}  // namespace nextstat
