// What fits where, and how much memory a process has.
#include <gtest/gtest.h>
#include <nextstat/backends.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/machine.h"
#include "unit/device/fake_backends.h"

namespace nextstat {
namespace {

using testing::device;

TEST(CanFit, ComparesFreeMemoryWhereItIsKnown) {
  EXPECT_TRUE(can_fit(device(0, "", 100, 40), 40));
  EXPECT_FALSE(can_fit(device(0, "", 100, 40), 41));
  EXPECT_FALSE(can_fit(device(0, "", 100, 0), 1)) << "no free memory is known, not unknown";
}

TEST(CanFit, TakesFourFifthsOfAllWhereItIsNot) {
  EXPECT_TRUE(can_fit(device(0, "", 100, {}), 80));
  EXPECT_FALSE(can_fit(device(0, "", 100, {}), 81));
  EXPECT_TRUE(can_fit(device(0, "", 0, {}), 0));
  EXPECT_FALSE(can_fit(device(0, "", 0, {}), 1));
  const std::uint64_t most = ~std::uint64_t{0};
  EXPECT_TRUE(can_fit(device(0, "", most, {}), most / 10 * 8));
  EXPECT_FALSE(can_fit(device(0, "", most, {}), most));
}

TEST(InferenceMemory, HasTheCheckedNumbers) {
  const InferenceMemory memory = estimate_inference_memory({.hidden = 4096,
                                                            .ffn = 14336,
                                                            .layers = 32,
                                                            .vocabulary = 32000,
                                                            .heads = 32,
                                                            .kv_heads = 8,
                                                            .sequence = 4096,
                                                            .bytes_per_value = 4})
                                     .value();
  EXPECT_EQ(memory.model_bytes, 28966928384u);
  EXPECT_EQ(memory.kv_cache_bytes, 1073741824u);
  EXPECT_EQ(memory.activation_bytes, 262144u);
  EXPECT_EQ(memory.total_bytes, 30040932352u);
  EXPECT_DOUBLE_EQ(memory.total_gb(), 30040932352.0 / 1073741824.0);
}

TEST(InferenceMemory, RefusesShapesThatMakeNoSense) {
  const InferenceShape good{64, 128, 2, 1000, 8, 4, 16, 4};
  EXPECT_TRUE(estimate_inference_memory(good));
  for (const auto& spoil : std::vector<void (*)(InferenceShape&)>{
           [](InferenceShape& shape) { shape.heads = 0; }, [](InferenceShape& shape) { shape.kv_heads = 0; },
           [](InferenceShape& shape) { shape.heads = 7; }, [](InferenceShape& shape) { shape.kv_heads = 3; },
           [](InferenceShape& shape) { shape.hidden = std::uint64_t{1} << 40; },
           [](InferenceShape& shape) { shape.sequence = ~std::uint64_t{0}; }}) {
    InferenceShape shape = good;
    spoil(shape);
    const auto refused = estimate_inference_memory(shape);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.errors().front().code, ErrorCode::BadUsage);
  }
}

// A made-up root of the file system.
class UsableMemory : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = std::filesystem::temp_directory_path() /
            ("nextstat_memory_" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) + "_" +
             ::testing::UnitTest::GetInstance()->current_test_info()->name() + std::to_string(::getpid()));
    write("proc/meminfo", "MemTotal:       1000 kB\nMemFree:  100 kB\nMemAvailable:    800 kB\n");
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  void write(const std::string& file, const std::string& text) {
    std::filesystem::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }
  std::filesystem::path root_;
};

TEST_F(UsableMemory, IsTheSystemsWithoutALimit) {
  const Memory memory = usable_memory(root_);
  EXPECT_EQ(memory.total, 1000u * 1024);
  EXPECT_EQ(memory.free, 800u * 1024);
}

TEST_F(UsableMemory, HeedsAContainerOfVersion2AndItsPageCache) {
  write("proc/self/cgroup", "0::/\n");
  write("sys/fs/cgroup/memory.max", "512000\n");
  write("sys/fs/cgroup/memory.current", "300000\n");
  write("sys/fs/cgroup/memory.stat", "anon 100000\ninactive_file 50000\nactive_file 7\n");
  const Memory memory = usable_memory(root_);
  EXPECT_EQ(memory.total, 512000u);
  EXPECT_EQ(memory.free, 512000u - 250000u);
}

TEST_F(UsableMemory, HeedsLimitsOfEveryLevel) {
  write("proc/self/cgroup", "0::/slice/job\n");
  write("sys/fs/cgroup/slice/job/memory.max", "max\n");
  write("sys/fs/cgroup/slice/memory.max", "400000\n");
  write("sys/fs/cgroup/slice/memory.current", "399000\n");
  const Memory memory = usable_memory(root_);
  EXPECT_EQ(memory.total, 400000u);
  EXPECT_EQ(memory.free, 1000u);
}

TEST_F(UsableMemory, TakesTheLeastOfAllLevels) {
  write("proc/self/cgroup", "0::/slice/job\n");
  write("sys/fs/cgroup/slice/job/memory.max", "300000\n");
  write("sys/fs/cgroup/slice/job/memory.current", "0\n");
  write("sys/fs/cgroup/slice/memory.max", "400000\n");
  write("sys/fs/cgroup/slice/memory.current", "399000\n");
  const Memory memory = usable_memory(root_);
  EXPECT_EQ(memory.total, 300000u);
  EXPECT_EQ(memory.free, 1000u) << "the neighbors of the job use the rest";
}

TEST_F(UsableMemory, HeedsAContainerOfVersion1) {
  write("proc/self/cgroup", "5:devices:/\n4:cpu,memory:/docker/abc\n0::/\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "256000\n");  // the container sees its own as the root
  write("sys/fs/cgroup/memory/memory.usage_in_bytes", "56000\n");
  write("sys/fs/cgroup/memory/memory.stat", "total_inactive_file 6000\n");
  const Memory memory = usable_memory(root_);
  EXPECT_EQ(memory.total, 256000u);
  EXPECT_EQ(memory.free, 206000u);
}

TEST_F(UsableMemory, KnowsThatVersion1ShowsANumberForNoLimit) {
  write("proc/self/cgroup", "4:memory:/\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  write("sys/fs/cgroup/memory/memory.usage_in_bytes", "56000\n");
  const Memory memory = usable_memory(root_);
  EXPECT_EQ(memory.total, 1000u * 1024);
  EXPECT_EQ(memory.free, 800u * 1024);
}

TEST_F(UsableMemory, IsUnknownWhereOnlyThatNumberIsShown) {
  std::filesystem::remove(root_ / "proc/meminfo");
  write("proc/self/cgroup", "4:memory:/\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(usable_memory(root_).total, 0u);
}

TEST_F(UsableMemory, IsUnknownWhereNothingSays) {
  const Memory memory = usable_memory(root_ / "nowhere");
  EXPECT_EQ(memory.total, 0u);
  EXPECT_FALSE(memory.free);
}

TEST(UsableMemoryHere, IsThere) {
  const Memory memory = usable_memory();
  EXPECT_GT(memory.total, 0u);
  ASSERT_TRUE(memory.free);
  EXPECT_LE(*memory.free, memory.total);
}

}  // namespace
}  // namespace nextstat
