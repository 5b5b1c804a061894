#include <gtest/gtest.h>
#include <nextstat/toy_folder.h>

#include <set>

#include "unit/toy_folder/synthetic_run.h"

namespace nextstat {
namespace {

using testing::bytes_of;
using testing::complete;
using testing::content_of;
using testing::Scratch;
using testing::set_bytes;
using testing::synthetic_block;
using testing::synthetic_identity;
using testing::synthetic_plan;
namespace fs = std::filesystem;

// Folders of all shards of a run.
std::vector<std::string> run_shards(const Scratch& scratch, const RunPlan& plan, std::size_t count) {
  std::vector<std::string> folders;
  for (std::size_t index = 1; index <= count; ++index) {
    folders.push_back(scratch / ("shard-" + std::to_string(index)));
    complete(folders.back(), plan, {index, count});
  }
  return folders;
}

TEST(Merge, AnySplitGivesTheBytesOfTheSingleRun) {
  const RunPlan plan = synthetic_plan(55, 73);
  const Scratch single;
  complete(single / "run", plan);
  for (const std::size_t count : {1, 2, 3, 7, 16}) {
    const Scratch scratch;
    const auto folders = run_shards(scratch, plan, count);
    const Result<MergeReport> report = merge_toys(folders, scratch / "merged");
    ASSERT_TRUE(report);
    EXPECT_TRUE(report->status.tally().complete());
    EXPECT_EQ(report->copied, plan.blocks());
    EXPECT_EQ(content_of(scratch / "merged"), content_of(single / "run")) << count << " shards";
  }
}

TEST(Merge, ShardsThatOverlapOrRepeatAreFine) {
  const RunPlan plan = synthetic_plan();
  const Scratch scratch;
  complete(scratch / "half", plan, {1, 2});
  complete(scratch / "whole", plan);
  const std::vector<std::string> from = {scratch / "half", scratch / "whole", scratch / "half"};
  ASSERT_TRUE(merge_toys(from, scratch / "merged"));
  EXPECT_EQ(content_of(scratch / "merged"), content_of(scratch / "whole"));
  EXPECT_EQ(merge_toys(from, scratch / "merged")->copied, 0u) << "merging again changes nothing";
}

TEST(Merge, AnotherRunIsRefusedBeforeAnythingIsWritten) {
  const Scratch scratch;
  RunIdentity identity = synthetic_identity();
  complete(scratch / "a", *RunPlan::make(identity));
  identity.seed = 43;
  identity.settings["mu"] = "2.0";
  complete(scratch / "b", *RunPlan::make(identity));
  const std::vector<std::string> from = {scratch / "a", scratch / "b"};
  const Result<MergeReport> report = merge_toys(from, scratch / "merged");
  ASSERT_FALSE(report);
  ASSERT_EQ(report.errors().size(), 1u);
  EXPECT_EQ(report.errors()[0].where.inside, scratch / "b");
  EXPECT_EQ(report.errors()[0].what,
            "is not the run in " + (scratch / "a") +
                ": seed is 43 here, 42 there; settings/mu is \"2.0\" here, 1.0 there");
  EXPECT_FALSE(fs::exists(scratch / "merged"));
}

// Labels are of whoever began a shard.
TEST(Merge, ShardsWithOtherLabelsBelongTogether) {
  const Scratch scratch;
  RunIdentity identity = synthetic_identity();
  complete(scratch / "whole", *RunPlan::make(identity));
  complete(scratch / "a", *RunPlan::make(identity), {1, 2});
  identity.labels = {{"measurement", "pyhf"}};
  complete(scratch / "b", *RunPlan::make(identity), {2, 2});
  const std::vector<std::string> from = {scratch / "a", scratch / "b"};
  ASSERT_TRUE(merge_toys(from, scratch / "merged"));
  EXPECT_EQ(content_of(scratch / "merged"), content_of(scratch / "whole"));
}

TEST(Merge, ATargetOfAnotherRunIsRefused) {
  const Scratch scratch;
  RunIdentity identity = synthetic_identity();
  complete(scratch / "a", *RunPlan::make(identity));
  identity.seed = 43;
  complete(scratch / "merged", *RunPlan::make(identity));
  const auto before = content_of(scratch / "merged");
  EXPECT_FALSE(merge_toys(std::vector<std::string>{scratch / "a"}, scratch / "merged"));
  EXPECT_EQ(content_of(scratch / "merged"), before);
}

TEST(Merge, ADamagedBlockIsNamedAndTheRestIsCollected) {
  const RunPlan plan = synthetic_plan();
  const Scratch scratch;
  const auto folders = run_shards(scratch, plan, 2);
  complete(scratch / "single", plan);
  const std::string file = folders[1] + "/block-00000003.toys";
  std::string bytes = bytes_of(file);
  bytes[200] ^= 1;
  set_bytes(file, bytes);
  const Result<MergeReport> report = merge_toys(folders, scratch / "merged");
  ASSERT_TRUE(report);
  ASSERT_EQ(report->problems.size(), 1u);
  EXPECT_EQ(report->problems[0].where.inside, file);
  ASSERT_EQ(report->problems[0].hint.set.size(), 1u);
  EXPECT_EQ(report->problems[0].hint.set[0].field, Field::Resume);
  EXPECT_EQ(report->status.tally().done, plan.blocks() - 1);
  complete(folders[1], plan, {2, 2});
  EXPECT_EQ(merge_toys(folders, scratch / "merged")->copied, 1u);
  EXPECT_EQ(content_of(scratch / "merged"), content_of(scratch / "single"));
}

TEST(Merge, ASoundCopyStandsInForADamagedOne) {
  const RunPlan plan = synthetic_plan();
  const Scratch scratch;
  complete(scratch / "a", plan);
  complete(scratch / "b", plan);
  set_bytes(scratch / "a/block-00000003.toys", "rubbish");
  const std::vector<std::string> from = {scratch / "a", scratch / "b"};
  const Result<MergeReport> report = merge_toys(from, scratch / "merged");
  EXPECT_TRUE(report->problems.empty());
  EXPECT_EQ(report->remarks.size(), 1u);
  EXPECT_EQ(content_of(scratch / "merged"), content_of(scratch / "b"));
}

TEST(Merge, WholeBlocksThatContradictEachOtherAreNotChosenBetween) {
  const RunPlan plan = synthetic_plan();
  const Scratch scratch;
  complete(scratch / "a", plan);
  complete(scratch / "b", plan);
  ToyBlock block = synthetic_block(plan, 3);
  block.values[1] += 1;
  set_bytes(scratch / "b/block-00000003.toys", *encode_block(plan, block));
  const std::vector<std::string> from = {scratch / "a", scratch / "b"};
  const Result<MergeReport> report = merge_toys(from, scratch / "merged");
  ASSERT_EQ(report->problems.size(), 1u);
  EXPECT_NE(report->problems[0].what.find("has different numbers than"), std::string::npos);
  EXPECT_FALSE(fs::exists(scratch / "merged/block-00000003.toys"));
}

TEST(RunStatus, TellsWhatIsDoneMissingAndDamaged) {
  const RunPlan plan = synthetic_plan();  // 3 blocks of background (10, 10, 5), 3 of signal
  const Scratch scratch;
  complete(scratch / "run", plan);
  fs::remove(scratch / "run/block-00000001.toys");
  fs::remove(scratch / "run/block-00000002.toys");
  set_bytes(scratch / "run/block-00000005.toys", "");
  const Result<RunStatus> status = toys_status(scratch / "run");
  const BlockTally all = status->tally(), background = status->tally_of_ensemble(0);
  EXPECT_EQ(all.done, 3u);
  EXPECT_EQ(all.missing, 2u);
  EXPECT_EQ(all.damaged, 1u);
  EXPECT_EQ(all.toys_done, 30u);
  EXPECT_FALSE(all.complete());
  EXPECT_EQ(background.toys, 25u);
  EXPECT_EQ(background.toys_done, 10u);
  EXPECT_EQ(status->tally({2, 2}).done, 1u) << "of blocks 1, 3, 5";
  using Ranges = std::vector<std::pair<std::size_t, std::size_t>>;
  EXPECT_EQ(status->open_ranges(), (Ranges{{1, 2}, {5, 5}}));
  EXPECT_EQ(status->problems.front().what, "is empty");
}

TEST(RunStatus, AFolderWithoutARunIsAnError) {
  const Scratch scratch;
  EXPECT_EQ(toys_status(scratch / "nowhere").errors().front().code, ErrorCode::NotFound);
  fs::create_directory(scratch / "empty");
  EXPECT_EQ(toys_status(scratch / "empty").errors().front().code, ErrorCode::NotFound);
}

}  // namespace
}  // namespace nextstat
