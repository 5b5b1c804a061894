// The folder of a run: run.json, a file per block, and hidden files (locks, files being written) that last as
// long as a process works there.
#pragma once

#include <nextstat/result.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/file_lock.h"
#include "toy_folder/run_plan.h"

namespace nextstat {

// A fresh run needs a folder that is absent or empty. Resuming takes the same command whether the run was
// begun, killed or finished, so an absent or empty folder is a beginning for it too.
enum class Begin { Fresh, Resume };

// The run that a folder holds.
Result<RunPlan> read_run(const std::string& folder);

// A process at work in a folder, called `owner` in its locks and temporary files ("3-of-16", "merge"). Two of
// the same name cannot be there at once.
class RunFolder {
 public:
  // Makes the folder and run.json, or checks that the run.json there is that of this plan: the same, or
  // written in schema 1 with nothing that contradicts it.
  static Result<RunFolder> open(const std::string& folder, const RunPlan& plan, const std::string& owner,
                                Begin begin);

  const std::string& path() const { return path_; }
  // As run.json of the folder says it: labels, and the form of schema 1, may be others than asked for.
  const RunPlan& plan() const { return plan_; }
  std::string block_path(std::size_t number) const;
  // Whole, or not at all. Safe to call from several threads, for different blocks.
  Result<void> write_block(std::size_t number, std::string_view bytes) const;
  // False where the file system has no locks.
  bool locked() const { return lock_.enforced(); }

 private:
  RunFolder(std::string path, RunPlan plan, std::string owner, FileLock lock);
  Result<void> write_run(Begin begin);
  void remove_leftovers() const;
  std::string temporary(const std::string& name) const;

  std::string path_;
  RunPlan plan_;
  std::string owner_;
  FileLock lock_;
};

}  // namespace nextstat
