#include "checked_output.h"

#include <nextstat/workspace.h>

#include <algorithm>
#include <stdexcept>

#include "base/json_text.h"
#include "model/workspace_check.h"
#include "model/workspace_reader.h"

namespace nextstat::cli {
namespace {

// What the schema allows but no model can be built from, e.g. a measurement without settings for lumi. Only a
// warning: operations may pass through such a state on the way to a complete workspace (pyhf allows it too).
void warn_of_incomplete(const Console& console, Workspace& workspace) {
  Faults faults;
  check_workspace(workspace, Limits{}, UsableMeasurements::All, faults);
  if (faults.empty()) return;
  constexpr std::size_t kMostShown = 5;
  const std::size_t count = faults.count();
  const Errors list = faults.take();
  for (std::size_t i = 0; i < std::min(list.size(), kMostShown); ++i) {
    console.warn("result " + to_text(list[i].where) + ": " + list[i].what);
  }
  if (count > kMostShown)
    console.warn("and " + std::to_string(count - kMostShown) + " more; nextstat validate lists them");
}

}  // namespace

int write_checked_workspace(Console& console, const nlohmann::json& document) {
  const std::string text = dump_json(document, 4) + "\n";
  Workspace workspace;
  Faults faults;
  const bool readable = read_workspace(text, workspace, faults);
  if (!faults.empty()) {
    Errors errors = faults.take();
    for (Error& error : errors) error.where.file = "result";
    return console.fail(errors);
  }
  if (!readable) throw std::logic_error("write_checked_workspace: the text written is not JSON");
  warn_of_incomplete(console, workspace);
  return console.document_text(text);
}

}  // namespace nextstat::cli
