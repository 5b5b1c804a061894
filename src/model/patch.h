// JSON patches (RFC 6902): a list of operations on a document.
//
//   Result<Json> signal = apply_patch(std::move(background), patch);
//
// Errors point into the patch ("/3/path") and say what the document lacks there.
#pragma once

#include <nextstat/result.h>

#include <string>

#include "base/json_text.h"

namespace nextstat {

class ShapeCheck;
struct JsonPlace;

// Every fault in the shape of the operations.
// Pointers start with `where`, the place of the patch in its file.
Errors patch_shape_errors(const Json& patch, const std::string& where = "");

// The same as part of a larger check.
void check_patch_shape(ShapeCheck& check, const JsonPlace& patch);

// All operations or none; stops at the first that does not fit the document.
Result<Json> apply_patch(Json document, const Json& patch, const std::string& where = "");

}  // namespace nextstat
