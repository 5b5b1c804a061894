#include "checked_output.h"

#include <nextstat/workspace.h>

#include "base/json_text.h"

namespace nextstat::cli {

int write_checked_workspace(Console& console, const nlohmann::json& workspace) {
  const std::string text = dump_json(workspace, 4) + "\n";
  if (const Result<Workspace> checked = parse_workspace(text); !checked) {
    Errors errors = checked.errors();
    for (Error& error : errors) error.where = "result " + error.where;
    return console.fail(errors);
  }
  return console.text(text);
}

}  // namespace nextstat::cli
