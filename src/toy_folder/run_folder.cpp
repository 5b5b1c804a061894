#include "toy_folder/run_folder.h"

#include <fmt/format.h>
#include <nextstat/files.h>
#include <nextstat/text.h>

#include <filesystem>
#include <random>
#include <system_error>

#include "base/files/kept_file.h"
#include "base/try.h"
#include "toy_folder/block_file.h"

namespace nextstat {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRunFile = "run.json";
constexpr std::size_t kMostRunBytes = std::size_t{1} << 26;

std::string run_path(const std::string& folder) { return (fs::path(folder) / kRunFile).string(); }

bool is_block(const std::string& name) { return name.starts_with("block-") && name.ends_with(".toys"); }

struct Content {
  bool run = false;      // run.json
  bool blocks = false;   // files named as blocks
  std::string stranger;  // a name that is neither
};

// Hidden files do not count: locks, files being written, and what network file systems leave.
Result<Content> look_into(const std::string& folder) {
  Content content;
  std::error_code failure;
  const fs::file_status status = fs::status(folder, failure);
  if (!fs::exists(status)) return content;
  if (!fs::is_directory(status)) {
    return Error{ErrorCode::BadInput, folder, "is not a folder", "give the folder of a run"};
  }
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const std::string name = entry->path().filename().string();
    if (name == kRunFile) {
      content.run = true;
    } else if (is_block(name)) {
      content.blocks = true;
    } else if (!name.starts_with(".")) {
      content.stranger = name;
    }
  }
  if (!failure) return content;
  return Error{ErrorCode::BadInput, folder, "cannot be read: " + failure.message(), "check its permissions"};
}

// No error: a run may begin here.
Errors refusal(const std::string& folder, const Content& content, Begin begin) {
  if (begin == Begin::Fresh && (content.run || content.blocks)) {
    return {{ErrorCode::BadUsage,
             folder,
             "already has a run",
             {"resume it, or start a new run in another folder", {{Field::Resume, folder}, Field::Folder}}}};
  }
  if (content.run || content.stranger.empty()) return {};
  return {{ErrorCode::BadUsage, folder,
           "has other files, e.g. '" + shorten(content.stranger) + "', but no run",
           "choose a folder that is empty or does not exist"}};
}

// An output that failed: what is complete is kept.
Error resumable(Error error) {
  error.hint.text += error.hint.empty() ? "" : "; ";
  error.hint.text += "finished blocks are kept: start the same run again";
  error.hint.set.push_back(Field::Resume);
  return error;
}

}  // namespace

Result<RunPlan> read_run(const std::string& folder) {
  const Result<Content> content = look_into(folder);
  if (!content) return content.errors();
  if (!content->run) {
    std::error_code failure;
    if (!fs::exists(folder, failure)) {
      return Error{ErrorCode::NotFound, folder, "there is no such folder", "check the path"};
    }
    return Error{ErrorCode::NotFound, folder, "has no run.json, so it is not the folder of a run",
                 content->blocks
                     ? Hint("start the same run again to restore run.json", {{Field::Resume, folder}})
                     : Hint("give a folder that a run wrote to", {Field::Folder, Field::Resume})};
  }
  const std::string path = run_path(folder);
  TRY(const std::optional<std::string> text, read_regular_file(path, kMostRunBytes));
  if (!text) return Error{ErrorCode::NotFound, path, "is a broken link", "remove it, then start again"};
  Result<RunIdentity> identity = read_identity(*text);
  if (!identity) return in_file(identity.errors(), path);
  Result<RunPlan> plan = RunPlan::make(std::move(*identity));
  if (!plan) return in_file(plan.errors(), path);
  return plan;
}

RunFolder::RunFolder(std::string path, RunPlan plan, std::string owner, FileLock lock)
    : path_(std::move(path)), plan_(std::move(plan)), owner_(std::move(owner)), lock_(std::move(lock)) {}

Result<RunFolder> RunFolder::open(const std::string& folder, const RunPlan& plan, const std::string& owner,
                                  Begin begin) {
  TRY(const Content content, look_into(folder));
  const Errors refused = refusal(folder, content, begin);
  if (!refused.empty()) return refused;
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure) {
    return Error{ErrorCode::BadInput, folder, "cannot be created: " + failure.message(),
                 "check the path and its permissions"};
  }
  Result<FileLock> lock =
      FileLock::take((fs::path(folder) / (".lock-" + owner)).string(), "another process is working on this",
                     "wait until it ends, or stop it; different shards may share a folder");
  if (!lock) return lock.errors();
  RunFolder opened(folder, plan, owner, std::move(*lock));
  TRY_DO(opened.write_run(begin));
  opened.remove_leftovers();
  return opened;
}

Result<void> RunFolder::write_run(Begin begin) {
  const std::string path = run_path(path_);
  const Result<bool> written = write_durably(path, plan_.text(), temporary(kRunFile), Existing::Keep);
  if (!written) return resumable(written.errors().front());
  if (*written) return {};
  if (begin == Begin::Fresh) return refusal(path_, {.run = true, .blocks = false, .stranger = ""}, begin);
  TRY(RunPlan there, read_run(path_));
  const RunIdentity& known = there.identity();
  // Who asks for a run knows its settings in the form of schema 1 too; who merges files does not.
  const bool is_earlier = known.schema == RunSchema::One && !plan_.identity().earlier_settings.empty();
  const Errors differences = identity_differences(
      is_earlier ? in_earlier_form(plan_.identity(), known) : plan_.identity(), "this run", known, path_,
      "use the same workspace, options, seed and version, or another folder");
  if (!differences.empty()) return differences;
  plan_ = std::move(there);
  return {};
}

// Files that a killed process of this name was writing. The lock says that there is no such process now.
void RunFolder::remove_leftovers() const {
  if (!locked()) return;
  const std::string prefix = fmt::format(".{}.", owner_);
  std::error_code failure;
  std::vector<fs::path> leftovers;
  for (fs::directory_iterator entry(path_, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with(prefix) && name.ends_with(".part")) leftovers.push_back(entry->path());
  }
  for (const fs::path& path : leftovers) fs::remove(path, failure);
}

// Random, because without locks two processes may have the same name.
std::string RunFolder::temporary(const std::string& name) const {
  std::random_device random;
  return (fs::path(path_) / fmt::format(".{}.{:08x}{:08x}.{}.part", owner_, random(), random(), name))
      .string();
}

std::string RunFolder::block_path(std::size_t number) const {
  return (fs::path(path_) / block_file_name(number)).string();
}

Result<void> RunFolder::write_block(std::size_t number, std::string_view bytes) const {
  const Result<bool> written =
      write_durably(block_path(number), bytes, temporary(block_file_name(number)), Existing::Replace);
  if (!written) return resumable(written.errors().front());
  return {};
}

}  // namespace nextstat
