// Digests of documents, equal to pyhf.utils.digest: the hash of the canonical text, UTF-8 with sorted keys,
// ", " and ": " between items and numbers as Python writes them.
//
//   Result<std::string> hash = digest_of_text(text, "sha256");
#pragma once

#include <nextstat/result.h>

#include <string>
#include <string_view>

#include "base/hash.h"
#include "base/json_text.h"

namespace nextstat {

// Digest of a JSON text, which need not be in canonical form. The algorithm is one of digest_algorithms().
Result<std::string> digest_of_text(std::string_view text, const std::string& algorithm = "sha256");

Result<std::string> digest(const Json& document, const std::string& algorithm = "sha256");

}  // namespace nextstat
