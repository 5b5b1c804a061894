#include <nextstat/documents.h>
#include <nextstat/files.h>

#include "checked_output.h"
#include "input.h"
#include "verb.h"
#include "verbs/verbs.h"

namespace nextstat::cli {
namespace {

class CombineVerb final : public Verb {
 public:
  void declare(CLI::App& command) override {
    left_.declare_argument(command, "left", "First workspace");
    right_.declare_argument(command, "right", "Second workspace");
    command
        .add_option("-j,--join", join_,
                    "What to do with names in both workspaces: none (refuse them, default), outer (accept "
                    "equal ones), left outer, right outer (keep that side)")
        ->type_name("JOIN");
    command.add_flag("--merge-channels,!--no-merge-channels", merge_channels_,
                     "Merge the samples of channels in both workspaces (not with join none)");
    command.footer("Example: nextstat combine electrons.json muons.json --join outer -o both.json");
  }

  int run(Console& console) override {
    const Result<Join> join = parse_join(join_);
    if (!join) return console.fail(join.errors());
    const auto inputs = read_both(left_, right_);
    if (!inputs) return console.fail(inputs.errors());
    const Result<Json> combined =
        combine(inputs->first, inputs->second, {.join = *join, .merge_channels = merge_channels_});
    if (!combined) return console.fail(with_file_names(combined.errors()));
    if (*join == Join::LeftOuter || *join == Join::RightOuter) {
      console.warn("join '" + join_ +
                   "' keeps one side of every difference and does not list the differences");
    }
    return write_checked_workspace(console, *combined);
  }

 private:
  // The library says "left" and "right"; people know their files.
  Errors with_file_names(Errors errors) const {
    for (Error& error : errors) {
      if (error.where.file == "left") error.where.file = display_name(left_.path());
      if (error.where.file == "right") error.where.file = display_name(right_.path());
    }
    return errors;
  }

  InputFile left_, right_;
  std::string join_ = "none";
  bool merge_channels_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_combine() { return std::make_unique<CombineVerb>(); }

}  // namespace nextstat::cli
