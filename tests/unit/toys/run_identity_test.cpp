#include "toys/run_identity.h"

#include <gtest/gtest.h>

#include "toys/run_plan.h"
#include "unit/toys/synthetic_run.h"

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
  EXPECT_EQ(read_identity(wrong).errors().front().where, "/seed");
}

TEST(RunIdentity, EveryFieldThatDiffersIsNamedWithBothValues) {
  const RunIdentity a = synthetic_identity();
  EXPECT_TRUE(identity_differences(a, "a", a, "b", "").empty());
  RunIdentity b = a;
  b.seed = 43;
  b.nextstat_version = "0.2.0";
  b.settings["mu"] = "1.5";
  b.settings["poi"] = "mu";
  b.ensembles[1].n_toys = 31;
  std::string all;
  const Errors errors = identity_differences(a, "a", b, "b", "hint");
  for (const Error& error : errors) all += error.what + "\n";
  EXPECT_EQ(errors.size(), 5u);
  EXPECT_NE(all.find("seed is 42, but in b it is 43"), std::string::npos) << all;
  EXPECT_NE(all.find("nextstat_version is \"0.1.0\", but in b it is \"0.2.0\""), std::string::npos) << all;
  EXPECT_NE(all.find("settings/mu is \"1.0\", but in b it is \"1.5\""), std::string::npos) << all;
  EXPECT_NE(all.find("settings/poi is not there, but in b it is \"mu\""), std::string::npos) << all;
  EXPECT_NE(all.find("ensembles/1/n_toys is 30, but in b it is 31"), std::string::npos) << all;
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
  EXPECT_EQ(parse_shard("0/16").errors().front().hint, "add 1 to a job number that is counted from 0");
}

}  // namespace
}  // namespace nextstat
