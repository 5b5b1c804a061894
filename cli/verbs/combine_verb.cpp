#include <nextstat/documents.h>
#include <nextstat/files.h>

#include "input/choice.h"
#include "input/document_input.h"
#include "screen/checked_output.h"
#include "verbs/verb.h"
#include "verbs/verb_list.h"

namespace nextstat::cli {
namespace {

class CombineVerb final : public Verb {
 public:
  void declare(CLI::App& command) override {
    left_.declare_argument(command, "left", "First workspace");
    right_.declare_argument(command, "right", "Second workspace");
    add_choice(command, "-j,--join", options_.join,
               "What to do with names in both workspaces (none refuses them, outer accepts equal ones, the "
               "others keep "
               "that side)",
               joins(), parse_join)
        ->type_name("JOIN");
    command.add_flag("--merge-channels,!--no-merge-channels", options_.merge_channels,
                     "Merge the samples of channels in both workspaces (not with join none)");
    command.footer("Example: nextstat combine electrons.json muons.json --join outer -o both.json");
  }

  int run(Console& console) override {
    const auto inputs = read_both(left_, right_);
    if (!inputs) return console.fail(inputs.errors());
    const Result<Json> combined = combine(inputs->first, inputs->second, options_);
    if (!combined) return console.fail(with_file_names(combined.errors()));
    if (options_.join == Join::LeftOuter || options_.join == Join::RightOuter) {
      console.warn(std::string("join '") + to_string(options_.join) +
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
  CombineOptions options_;
};

}  // namespace

std::unique_ptr<Verb> make_combine() { return std::make_unique<CombineVerb>(); }

}  // namespace nextstat::cli
