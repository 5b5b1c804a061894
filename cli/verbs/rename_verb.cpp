#include <nextstat/documents.h>
#include <nextstat/files.h>

#include "input/document_input.h"
#include "screen/checked_output.h"
#include "verbs/verb.h"
#include "verbs/verb_list.h"

namespace nextstat::cli {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

// As with pyhf, the last of several renames of one name counts.
Renames as_map(const Pairs& pairs) {
  Renames renames;
  for (const auto& [old_name, new_name] : pairs) renames[old_name] = new_name;
  return renames;
}

class RenameVerb final : public Verb {
 public:
  void declare(CLI::App& command) override {
    workspace_.declare(command, "workspace", "Workspace");
    const auto list = [&](const char* flags, Pairs& pairs, const char* what) {
      command.add_option(flags, pairs, std::string("Rename this ") + what + " (repeatable)")
          ->allow_extra_args(false)
          ->type_name("OLD NEW");
    };
    list("-c,--channel", channels_, "channel and its observation");
    list("-s,--sample", samples_, "sample in every channel");
    list("-m,--modifier", modifiers_, "modifier, its parameter settings and the parameter of interest");
    list("--measurement", measurements_, "measurement");
    command.footer("Example: nextstat rename workspace.json -m mu SigXsec -s signal stau -o renamed.json");
  }

  int run(Console& console) override {
    const Result<Json> workspace = workspace_.read_json();
    if (!workspace) return console.fail(workspace.errors());
    const Result<Json> renamed = rename(*workspace, {.channels = as_map(channels_),
                                                     .samples = as_map(samples_),
                                                     .modifiers = as_map(modifiers_),
                                                     .measurements = as_map(measurements_)});
    if (!renamed) return console.fail(in_file(renamed.errors(), workspace_.path()));
    return write_checked_workspace(console, *renamed);
  }

 private:
  InputFile workspace_;
  Pairs channels_, samples_, modifiers_, measurements_;
};

}  // namespace

std::unique_ptr<Verb> make_rename() { return std::make_unique<RenameVerb>(); }

}  // namespace nextstat::cli
