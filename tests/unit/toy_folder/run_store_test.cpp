#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <gtest/gtest.h>
#include <nextstat/toy_folder.h>

#include <csignal>
#include <thread>

#include "toy_folder/block_sink.h"
#include "toy_folder/run_store.h"
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

std::string text_of(const Errors& errors) {
  std::string text;
  for (const Error& error : errors)
    text += error.where.inside + ": " + error.what + " (" + error.hint.text + ")\n";
  return text;
}

Errors errors_of_opening(const std::string& folder, const RunPlan& plan, Begin begin) {
  const Result<RunStore> store = RunStore::open(folder, plan, {}, begin);
  return store ? Errors{} : store.errors();
}

TEST(RunStore, AFreshRunLeavesRunFileAndBlocksAlone) {
  const Scratch scratch;
  const RunPlan plan = synthetic_plan();
  complete(scratch / "deep/run", plan);
  const auto content = content_of(scratch / "deep/run");
  EXPECT_EQ(content.size(), 1 + plan.blocks());
  EXPECT_EQ(content.at("run.json"), plan.text());
  EXPECT_EQ(content.at("block-00000003.toys"), *encode_block(plan, synthetic_block(plan, 3)));
}

TEST(RunStore, TheCommittedRunHasTheBytesOfToday) {
  const Scratch scratch;
  complete(scratch / "run", synthetic_plan());
  EXPECT_EQ(content_of(scratch / "run"), content_of(NEXTSTAT_TEST_DATA "/toys_run"));
}

// Written by the first version of the format.
class EarlierRun : public ::testing::Test {
 protected:
  EarlierRun() {
    fs::copy(NEXTSTAT_TEST_DATA "/toy_runs_1/synthetic", scratch_ / "run");
    identity_ = synthetic_identity();
    identity_.earlier_settings = {{"measurement", "search"}, {"mu", "1.0"}};
  }
  Result<RunStore> opened(Shard shard = {}) const {
    return RunStore::open(scratch_ / "run", *RunPlan::make(identity_), shard, Begin::Resume);
  }

  Scratch scratch_;
  RunIdentity identity_;
};

TEST_F(EarlierRun, IsReadWhenItIsComplete) {
  const auto whole = content_of(scratch_ / "run");
  {
    const Result<RunStore> store = opened();
    ASSERT_TRUE(store) << text_of(store.errors());
    EXPECT_TRUE(store->missing().empty());
    ASSERT_EQ(store->remarks().size(), 1u);
    EXPECT_NE(store->remarks()[0].find("nextstat/toy-run/1"), std::string::npos);
    std::size_t toys = 0;
    EXPECT_EQ(*store->for_each([&](const ToyBlock& block) { toys += block.range.count; }), 6u);
    EXPECT_EQ(toys, 55u);
    EXPECT_EQ(store->read(3)->values.at(4), synthetic_block(synthetic_plan(), 3).values.at(4));
  }
  EXPECT_EQ(content_of(scratch_ / "run"), whole);
}

// Whichever shard asks: nobody adds to it.
TEST_F(EarlierRun, IsNotGoneOnWith) {
  fs::remove(scratch_ / "run/block-00000004.toys");
  const auto whole = content_of(scratch_ / "run");
  for (const Shard shard : {Shard{1, 1}, Shard{1, 2}, Shard{1000, 1000}}) {
    const Result<RunStore> store = opened(shard);
    ASSERT_FALSE(store);
    ASSERT_EQ(store.errors().size(), 1u);
    EXPECT_NE(text_of(store.errors()).find("nextstat/toy-run/1"), std::string::npos);
    EXPECT_NE(text_of(store.errors()).find("1 of 6 blocks"), std::string::npos) << text_of(store.errors());
  }
  EXPECT_EQ(content_of(scratch_ / "run"), whole);
}

TEST_F(EarlierRun, OfOtherSettingsIsAnotherRun) {
  identity_.earlier_settings["mu"] = "2.0";
  const Result<RunStore> store = opened();
  ASSERT_FALSE(store);
  EXPECT_NE(text_of(store.errors()).find("settings/mu is \"2.0\" here, \"1.0\" there"), std::string::npos);
}

TEST(RunStore, AFreshRunWantsAnEmptyFolder) {
  const Scratch scratch;
  const RunPlan plan = synthetic_plan();
  complete(scratch / "run", plan);
  const Errors errors = errors_of_opening(scratch / "run", plan, Begin::Fresh);
  ASSERT_EQ(errors.size(), 1u);
  ASSERT_FALSE(errors[0].hint.set.empty());
  EXPECT_EQ(errors[0].hint.set[0].field, Field::Resume);
  fs::create_directory(scratch / "other");
  set_bytes(scratch / "other/thesis.tex", "precious");
  EXPECT_FALSE(errors_of_opening(scratch / "other", plan, Begin::Fresh).empty());
  EXPECT_FALSE(errors_of_opening(scratch / "other", plan, Begin::Resume).empty());
  EXPECT_EQ(content_of(scratch / "other").size(), 1u) << "nothing is written where we do not belong";
  set_bytes(scratch / "file", "");
  EXPECT_FALSE(errors_of_opening(scratch / "file", plan, Begin::Resume).empty());
}

TEST(RunStore, ResumingComputesWhatIsMissingAndNothingElse) {
  const Scratch scratch;
  const RunPlan plan = synthetic_plan();
  complete(scratch / "run", plan);
  const auto whole = content_of(scratch / "run");
  fs::remove(scratch / "run/block-00000001.toys");
  fs::remove(scratch / "run/block-00000004.toys");
  EXPECT_EQ(RunStore::open(scratch / "run", plan, {}, Begin::Resume)->missing(),
            (std::vector<std::size_t>{1, 4}));
  complete(scratch / "run", plan);
  EXPECT_EQ(content_of(scratch / "run"), whole);
}

TEST(RunStore, ADamagedBlockIsNamedAndComputedAgain) {
  const Scratch scratch;
  const RunPlan plan = synthetic_plan();
  complete(scratch / "run", plan);
  const auto whole = content_of(scratch / "run");
  set_bytes(scratch / "run/block-00000002.toys",
            bytes_of(scratch / "run/block-00000002.toys").substr(0, 150));
  {
    const Result<RunStore> store = RunStore::open(scratch / "run", plan, {}, Begin::Resume);
    EXPECT_EQ(store->missing(), std::vector<std::size_t>{2});
    ASSERT_EQ(store->remarks().size(), 1u);
    EXPECT_NE(store->remarks()[0].find("block-00000002.toys is truncated"), std::string::npos);
    EXPECT_FALSE(store->read(2));
    EXPECT_FALSE(store->for_each([](const ToyBlock&) {}));
  }
  complete(scratch / "run", plan);
  EXPECT_EQ(content_of(scratch / "run"), whole);
}

TEST(RunStore, AWholeBlockOfAnotherRunIsNeverOverwritten) {
  const Scratch scratch;
  const RunPlan plan = synthetic_plan();
  RunIdentity identity = synthetic_identity();
  identity.seed = 7;
  const RunPlan other = *RunPlan::make(identity);
  complete(scratch / "run", plan);
  complete(scratch / "other", other);
  fs::copy_file(scratch / "other/block-00000002.toys", scratch / "run/block-00000002.toys",
                fs::copy_options::overwrite_existing);
  const Errors errors = errors_of_opening(scratch / "run", plan, Begin::Resume);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_NE(text_of(errors).find("block-00000002.toys: belongs to another run"), std::string::npos);
}

TEST(RunStore, ManyBlocksOfAnotherRunAreOneError) {
  const Scratch scratch;
  RunIdentity identity = synthetic_identity();
  identity.seed = 7;
  complete(scratch / "run", *RunPlan::make(identity));
  fs::remove(scratch / "run/run.json");
  const Errors errors = errors_of_opening(scratch / "run", synthetic_plan(), Begin::Resume);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_NE(text_of(errors).find("of 5 more blocks"), std::string::npos) << text_of(errors);
}

TEST(RunStore, APipeInThePlaceOfAFileIsNamedAndNotWaitedFor) {
  const RunPlan plan = synthetic_plan();
  for (const std::string name : {"run.json", "block-00000001.toys"}) {
    const Scratch scratch;
    complete(scratch / "run", plan);
    fs::remove(scratch / "run/" + name);
    ASSERT_EQ(mkfifo((scratch / "run/" + name).c_str(), 0600), 0);
    const Errors errors = errors_of_opening(scratch / "run", plan, Begin::Resume);
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_NE(text_of(errors).find(name + ": is a pipe"), std::string::npos) << text_of(errors);
    ASSERT_FALSE(toys_status(scratch / "run"));
    EXPECT_EQ(text_of(toys_status(scratch / "run").errors()), text_of(errors));
  }
}

TEST(RunStore, AnotherRunIsRefusedWithEveryDifference) {
  const Scratch scratch;
  complete(scratch / "run", synthetic_plan());
  RunIdentity identity = synthetic_identity();
  identity.seed = 7;
  identity.settings["poi"] = "nu";
  const Errors errors = errors_of_opening(scratch / "run", *RunPlan::make(identity), Begin::Resume);
  EXPECT_EQ(errors.size(), 1u);
  EXPECT_NE(text_of(errors).find("seed is 7 here, 42 there; settings/poi is \"nu\" here, \"mu\" there"),
            std::string::npos)
      << text_of(errors);
}

TEST(RunStore, ALostRunFileIsWrittenAgain) {
  const Scratch scratch;
  const RunPlan plan = synthetic_plan();
  complete(scratch / "run", plan);
  const auto whole = content_of(scratch / "run");
  fs::remove(scratch / "run/run.json");
  complete(scratch / "run", plan);
  EXPECT_EQ(content_of(scratch / "run"), whole);
}

TEST(RunStore, LeftoversOfAKilledProcessGoAwayAndThoseOfOthersStay) {
  const Scratch scratch;
  const RunPlan plan = synthetic_plan();
  fs::create_directory(scratch / "run");
  set_bytes(scratch / "run/.1-of-2.0123.block-00000000.toys.part", "half");
  set_bytes(scratch / "run/.2-of-2.0123.block-00000001.toys.part", "half");
  complete(scratch / "run", plan, {1, 2});
  EXPECT_FALSE(fs::exists(scratch / "run/.1-of-2.0123.block-00000000.toys.part"));
  EXPECT_TRUE(fs::exists(scratch / "run/.2-of-2.0123.block-00000001.toys.part"));
}

TEST(RunStore, OneShardHasOneProcessAndShardsShareAFolder) {
  const Scratch scratch;
  const RunPlan plan = synthetic_plan();
  {
    const Result<RunStore> first = RunStore::open(scratch / "run", plan, {1, 2}, Begin::Resume);
    const Result<RunStore> again = RunStore::open(scratch / "run", plan, {1, 2}, Begin::Resume);
    ASSERT_TRUE(first);
    ASSERT_FALSE(again);
    EXPECT_EQ(again.errors().front().what, "another process is working on this");
    EXPECT_TRUE(RunStore::open(scratch / "run", plan, {2, 2}, Begin::Resume));
  }
  EXPECT_TRUE(RunStore::open(scratch / "run", plan, {1, 2}, Begin::Resume));
}

TEST(RunStore, ShardsThatBeginAtOnceInOneFolderMakeTheWholeRun) {
  const Scratch scratch;
  const RunPlan plan = synthetic_plan(400, 405);
  complete(scratch / "single", plan);
  std::vector<std::thread> jobs;
  for (std::size_t index = 1; index <= 16; ++index) {
    jobs.emplace_back([&, index] { complete(scratch / "shared", plan, {index, 16}); });
  }
  for (std::thread& job : jobs) job.join();
  EXPECT_EQ(content_of(scratch / "shared"), content_of(scratch / "single"));
}

// Runs `work` in a child process; its exit code.
template <class Work>
int in_child(Work&& work) {
  const pid_t child = fork();
  if (child == 0) _exit(work());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// 0 when a block that does not fit gives the right error and leaves the others alone.
int fill_the_disk(const std::string& folder, const RunPlan& plan, const std::string& reason) {
  const Result<RunStore> store = RunStore::open(folder, plan, {}, Begin::Resume);
  if (!store) return 2;
  for (const std::size_t number : store->missing()) {
    const auto written = store->write(synthetic_block(plan, number));
    if (written) continue;
    const Error& error = written.errors().front();
    const bool clear = error.where.inside == folder + "/" + block_file_name(number) &&
                       error.what == "cannot be written: " + reason &&
                       error.hint.text.find("make room") != std::string::npos && error.hint.set.size() == 1 &&
                       error.hint.set[0].field == Field::Resume;
    return clear ? 0 : 3;
  }
  return 4;
}

TEST(RunStore, AFileThatMayNotGrowIsAnErrorAndLosesNothing) {
  const Scratch scratch;
  RunIdentity identity = synthetic_identity(12, 400);
  identity.toys_per_block = 200;
  const RunPlan plan = *RunPlan::make(identity);
  complete(scratch / "single", plan);
  // The first block (12 toys) fits, the second (200) does not.
  EXPECT_EQ(in_child([&] {
              const rlimit limit{2000, 2000};
              std::signal(SIGXFSZ, SIG_IGN);
              setrlimit(RLIMIT_FSIZE, &limit);
              return fill_the_disk(scratch / "run", plan, "File too large");
            }),
            0);
  const auto content = content_of(scratch / "run");
  EXPECT_EQ(content.size(), 2u) << "run.json and one block: nothing half written";
  complete(scratch / "run", plan);
  EXPECT_EQ(content_of(scratch / "run"), content_of(scratch / "single"));
}

// A small disk, where this process may mount one.
class SmallDisk {
 public:
  explicit SmallDisk(std::string path) : path_(std::move(path)) {
    fs::create_directory(path_);
    mounted_ = mount("tmpfs", path_.c_str(), "tmpfs", 0, "size=128k") == 0;
  }
  ~SmallDisk() {
    if (mounted_) umount(path_.c_str());
  }
  bool mounted() const { return mounted_; }

 private:
  std::string path_;
  bool mounted_ = false;
};

TEST(RunStore, AFullDiskIsAnErrorAndLosesNothing) {
  const Scratch scratch;
  RunIdentity identity = synthetic_identity(4000, 4000);
  identity.toys_per_block = 1000;
  const RunPlan plan = *RunPlan::make(identity);
  const SmallDisk disk(scratch / "disk");
  if (!disk.mounted()) GTEST_SKIP() << "a small disk cannot be mounted here";
  EXPECT_EQ(in_child([&] { return fill_the_disk(scratch / "disk/run", plan, "No space left on device"); }),
            0);
  const Result<RunStatus> status = toys_status(scratch / "disk/run");
  EXPECT_TRUE(status->problems.empty());
  EXPECT_GT(status->tally().done, 0u);
  EXPECT_LT(status->tally().done, plan.blocks());
  fs::copy(scratch / "disk/run", scratch / "run");
  complete(scratch / "run", plan);
  complete(scratch / "single", plan);
  EXPECT_EQ(content_of(scratch / "run"), content_of(scratch / "single"));
}

std::vector<std::size_t> order_of(BlockSink& sink, const RunPlan& plan, std::vector<std::size_t>& seen,
                                  bool& finished) {
  std::vector<std::size_t> turned(sink.missing().rbegin(), sink.missing().rend());
  for (const std::size_t number : turned) (void)sink.write(synthetic_block(plan, number));
  finished = *sink.finish();
  return seen;
}

TEST(BlockSink, AConsumerSeesEveryBlockOnceInOrderWithinItsEnsemble) {
  const Scratch scratch;
  const RunPlan plan = synthetic_plan();
  std::vector<std::size_t> all, seen;
  for (std::size_t number = 0; number < plan.blocks(); ++number) all.push_back(number);
  const BlockConsumer consumer = [&](const ToyBlock& block) { seen.push_back(block.range.number); };
  bool finished = false;
  // The second ensemble was written first and waits for nothing of the first.
  const std::vector<std::size_t> second_first = {3, 4, 5, 0, 1, 2};
  EXPECT_EQ(order_of(*stream_blocks(plan, {}, consumer), plan, seen, finished), second_first);
  EXPECT_TRUE(finished);
  seen.clear();
  complete(scratch / "run", plan, {2, 3});
  const Result<RunStore> store = RunStore::open(scratch / "run", plan, {}, Begin::Resume);
  EXPECT_EQ(order_of(*store_blocks(*store, consumer), plan, seen, finished), all);
  EXPECT_TRUE(finished);
}

TEST(BlockSink, AnInterruptedRunPassesWhatItHas) {
  const RunPlan plan = synthetic_plan();
  std::vector<std::size_t> seen;
  const auto sink =
      stream_blocks(plan, {}, [&](const ToyBlock& block) { seen.push_back(block.range.number); });
  for (const std::size_t number : {5, 0, 3}) (void)sink->write(synthetic_block(plan, number));
  EXPECT_EQ(seen, (std::vector<std::size_t>{0, 3})) << "5 waits for its turn";
  EXPECT_FALSE(*sink->finish());
  EXPECT_EQ(seen, (std::vector<std::size_t>{0, 3, 5}));
}

}  // namespace
}  // namespace nextstat
