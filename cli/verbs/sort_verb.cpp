#include <nextstat/documents.h>
#include <nextstat/files.h>

#include "input/document_input.h"
#include "screen/checked_output.h"
#include "verbs/verb.h"
#include "verbs/verb_list.h"

namespace nextstat::cli {
namespace {

class SortVerb final : public Verb {
 public:
  void declare(CLI::App& command) override {
    workspace_.declare(command, "workspace", "Workspace");
    command.footer("Example: nextstat sort workspace.json -o sorted.json");
  }

  int run(Console& console) override {
    const Result<Json> workspace = workspace_.read_json();
    if (!workspace) return console.fail(workspace.errors());
    const Result<Json> sorted = sort(*workspace);
    if (!sorted) return console.fail(in_file(sorted.errors(), workspace_.path()));
    return write_checked_workspace(console, *sorted);
  }

 private:
  InputFile workspace_;
};

}  // namespace

std::unique_ptr<Verb> make_sort() { return std::make_unique<SortVerb>(); }

}  // namespace nextstat::cli
