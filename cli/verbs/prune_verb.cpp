#include <nextstat/documents.h>
#include <nextstat/files.h>

#include "input/document_input.h"
#include "screen/checked_output.h"
#include "verbs/verb.h"
#include "verbs/verb_list.h"

namespace nextstat::cli {
namespace {

class PruneVerb final : public Verb {
 public:
  void declare(CLI::App& command) override {
    workspace_.declare(command, "workspace", "Workspace");
    const auto list = [&](const char* flags, std::vector<std::string>& names, const char* what) {
      command.add_option(flags, names, std::string("Remove this ") + what + " (repeatable)")
          ->allow_extra_args(false)
          ->type_name("NAME");
    };
    list("-c,--channel", request_.channels, "channel and its observation");
    list("-s,--sample", request_.samples, "sample from every channel");
    list("-m,--modifier", request_.modifiers, "modifier and its parameter settings");
    list("-t,--modifier-type", request_.modifier_types, "type of modifier, e.g. staterror");
    list("--measurement", request_.measurements, "measurement");
    command.footer("Example: nextstat prune workspace.json -c CR_top -t staterror -o smaller.json");
  }

  int run(Console& console) override {
    const Result<Json> workspace = workspace_.read_json();
    if (!workspace) return console.fail(workspace.errors());
    const Result<Json> pruned = prune(*workspace, request_);
    if (!pruned) return console.fail(in_file(pruned.errors(), workspace_.path()));
    return write_checked_workspace(console, *pruned);
  }

 private:
  InputFile workspace_;
  PruneRequest request_;
};

}  // namespace

std::unique_ptr<Verb> make_prune() { return std::make_unique<PruneVerb>(); }

}  // namespace nextstat::cli
