#include <nextstat/toy_folder.h>

#include <filesystem>
#include <stdexcept>

#include "base/try.h"
#include "toy_folder/block_file.h"
#include "toy_folder/run_folder.h"

namespace nextstat {
namespace {

Hint repair() {
  return {"run that shard again: it computes only the blocks that are not sound", {Field::Resume}};
}

Hint move_away() { return "move it elsewhere if it is not needed, then start again"; }

// Shards are only read.
Errors refuse_target(std::span<const std::string> from, const std::string& to) {
  for (const std::string& folder : from) {
    std::error_code failure;
    if (std::filesystem::equivalent(folder, to, failure) && !failure)
      return {{ErrorCode::BadUsage,
               to,
               "is also the source folder '" + folder + "', which is only read",
               {"choose a separate folder", {Field::Folder}}}};
  }
  return {};
}

// The plan that all folders share, or one error for each that differs from the first.
Result<RunPlan> common_plan(std::span<const std::string> from) {
  Result<RunPlan> first = read_run(from.front());
  if (!first) return first.errors();
  Errors errors;
  for (const std::string& folder : from.subspan(1)) {
    const Result<RunPlan> other = read_run(folder);
    const Errors found =
        other
            ? identity_differences(other->identity(), folder, first->identity(), from.front(),
                                   "merge only shards of one run: same workspace, options, seed and version")
            : other.errors();
    errors.insert(errors.end(), found.begin(), found.end());
  }
  if (!errors.empty()) return errors;
  return first;
}

// One block on its way from the folders that have it. The target is looked into first.
class BlockMerge {
 public:
  BlockMerge(const RunPlan& plan, std::size_t number) : plan_(plan), number_(number) {}

  Result<void> look_into(const std::string& folder, bool is_target) {
    TRY(StoredBlock stored, read_block_file(plan_, number_, folder));
    const DecodedBlock& decoded = stored.decoded;
    const std::string file = (std::filesystem::path(folder) / block_file_name(number_)).string();
    if (decoded.condition == BlockCondition::Missing) return {};
    if (is_target && decoded.condition == BlockCondition::Foreign) {
      blocked_.push_back({ErrorCode::BadInput, file, decoded.what, "move it elsewhere if it is not needed"});
    } else if (decoded.condition != BlockCondition::Sound) {
      not_sound_.push_back({ErrorCode::BadInput, file, decoded.what,
                            decoded.condition == BlockCondition::Foreign ? move_away() : repair()});
    } else if (origin_.empty()) {
      origin_ = file;
      bytes_ = std::move(stored.bytes);
      in_place_ = is_target;
    } else if (bytes_ != stored.bytes) {
      blocked_.push_back(
          {ErrorCode::BadInput, file, "has different numbers than " + origin_ + ", and both are sound",
           "compare the machines that made them: the same version gives the same numbers everywhere"});
    }
    return {};
  }

  bool wants_writing() const { return !origin_.empty() && !in_place_ && blocked_.empty(); }
  const std::string& bytes() const { return bytes_; }

  void add_to(MergeReport& report) const {
    report.problems.insert(report.problems.end(), blocked_.begin(), blocked_.end());
    for (const Error& error : not_sound_) {
      if (origin_.empty()) {
        report.problems.push_back(error);
      } else {
        report.remarks.push_back(to_text(error.where) + " " + error.what + "; taken from " + origin_);
      }
    }
  }

 private:
  const RunPlan& plan_;
  std::size_t number_;
  std::string origin_, bytes_;  // of the first sound copy
  bool in_place_ = false;       // the target has it
  Errors not_sound_;            // copies that another one can stand in for
  Errors blocked_;              // what nobody but the user can decide
};

Result<void> merge_block(const RunPlan& plan, std::size_t number, std::span<const std::string> from,
                         const RunFolder& target, MergeReport& report) {
  BlockMerge block(plan, number);
  auto looked = block.look_into(target.path(), true);
  if (!looked) return looked.errors();
  for (const std::string& folder : from) {
    looked = block.look_into(folder, false);
    if (!looked) return looked.errors();
  }
  block.add_to(report);
  if (!block.wants_writing()) return {};
  ++report.copied;
  return target.write_block(number, block.bytes());
}

}  // namespace

Result<MergeReport> merge_toys(std::span<const std::string> from, const std::string& to) {
  if (from.empty()) throw std::logic_error("merge_toys: nothing to merge");
  if (Errors errors = refuse_target(from, to); !errors.empty()) return errors;
  TRY(RunPlan plan, common_plan(from));
  TRY(const RunFolder target, RunFolder::open(to, plan, "merge", Begin::Resume));
  MergeReport report;
  for (std::size_t number = 0; number < plan.blocks(); ++number) {
    TRY_DO(merge_block(plan, number, from, target, report));
  }
  TRY(RunStatus status, toys_status(to));
  report.status = std::move(status);
  return report;
}

}  // namespace nextstat
