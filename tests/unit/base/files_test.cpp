// Whole files: links stay links, temporary files are new, and no path is the same as another by accident.

#include <unistd.h>

#include <gtest/gtest.h>
#include <nextstat/files.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/files/file_lock.h"

namespace nextstat {
namespace {

namespace fs = std::filesystem;

class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "nextstat-files-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  std::string content(const std::string& name) const { return read_text(at(name), 1 << 20).value(); }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  fs::path folder_;
};

TEST_F(Files, ALinkStaysALink) {
  ASSERT_TRUE(write_text(at("file"), "old"));
  fs::create_symlink("file", at("link"));
  ASSERT_TRUE(write_text(at("link"), "new"));
  EXPECT_TRUE(fs::is_symlink(at("link")));
  EXPECT_EQ(content("file"), "new");
  EXPECT_EQ(entries(), 2u);
}

TEST_F(Files, ADanglingLinkIsWrittenThrough) {
  fs::create_symlink("second", at("first"));
  fs::create_symlink(at("file"), at("second"));
  ASSERT_TRUE(can_write_text(at("first")));
  EXPECT_FALSE(fs::exists(at("file")));
  ASSERT_TRUE(write_text(at("first"), "text"));
  EXPECT_TRUE(fs::is_symlink(at("first")) && fs::is_symlink(at("second")));
  EXPECT_EQ(content("file"), "text");
}

TEST_F(Files, LinksThatGoRoundAreAnError) {
  fs::create_symlink("b", at("a"));
  fs::create_symlink("a", at("b"));
  EXPECT_FALSE(can_write_text(at("a")));
  EXPECT_FALSE(write_text(at("a"), "text"));
  EXPECT_EQ(entries(), 2u);
}

TEST_F(Files, AnEmptyPathIsNoFileAndNotStandardOutput) {
  EXPECT_EQ(read_text("", 10).errors().front().what, "the path is empty");
  EXPECT_EQ(write_text("", "text").errors().front().what, "the path is empty");
  EXPECT_EQ(can_write_text("").errors().front().what, "the path is empty");
}

TEST_F(Files, TheSameFileByEveryName) {
  ASSERT_TRUE(write_text(at("file"), "text"));
  ASSERT_TRUE(write_text(at("copy"), "text"));
  fs::create_symlink("file", at("link"));
  fs::create_hard_link(at("file"), at("hard"));
  for (const char* name : {"file", "link", "hard", "./file"})
    EXPECT_TRUE(same_file(at("file"), at(name))) << name;
  for (const char* name : {"copy", "absent"}) EXPECT_FALSE(same_file(at("file"), at(name))) << name;
  EXPECT_FALSE(same_file("/dev/null", "/dev/null"));
}

TEST_F(Files, ALockIsNoLink) {
  fs::create_symlink("elsewhere", at("lock"));
  EXPECT_FALSE(FileLock::take(at("lock"), "taken", "wait"));
  EXPECT_FALSE(fs::exists(at("elsewhere")));
}

TEST_F(Files, ReadBackWhatWasWrittenAndRefuseTheRest) {
  const std::string path = testing::TempDir() + "nextstat_files_test.json";
  ASSERT_TRUE(write_text(path, "first"));
  ASSERT_TRUE(write_text(path, "second"));
  EXPECT_EQ(*read_text(path, 100), "second");
  EXPECT_EQ(read_text(path, 5).errors().front().code, ErrorCode::LimitExceeded);
  EXPECT_EQ(read_text(path + ".missing", 5).errors().front().code, ErrorCode::NotFound);
  EXPECT_FALSE(read_text(testing::TempDir(), 100));
  EXPECT_FALSE(write_text(path + "/x/y", "text"));
  std::remove(path.c_str());
}

}  // namespace
}  // namespace nextstat
