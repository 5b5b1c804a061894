// JSON text -> Workspace, in one pass without a document tree. Checks the schema's rules (types, keys,
// emptiness); what the numbers mean together is checked in workspace_check.h.
#pragma once

#include <nextstat/workspace.h>

#include <string>

#include "model/faults.h"

namespace nextstat {

// A range whose numbers could not be read. Later checks pass over it: its fault is already listed.
constexpr std::size_t kBroken = static_cast<std::size_t>(-1);
inline bool is_usable(const NumberRange& range) { return range.count != kBroken; }
constexpr std::uint32_t kUnknownKind = 0xffffffffu;

// Reads all of `text` and lists its faults.
// Returns false when the text is not JSON and nothing can be said of it.
bool read_workspace(std::string text, Workspace& workspace, Faults& faults);

}  // namespace nextstat
