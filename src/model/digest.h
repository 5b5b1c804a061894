// Digests of documents, equal to pyhf.utils.digest: the hash of the canonical text (sorted keys, ", " and ":
// ", numbers as Python writes them, UTF-8).
//
//   Result<std::string> hash = digest_of_text(text, "sha256");
#pragma once

#include <nextstat/result.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/json_text.h"

namespace nextstat {

// Names as in Python's hashlib.
const std::vector<std::string>& digest_algorithms();

// Digest of a JSON text, which need not be in canonical form.
Result<std::string> digest_of_text(std::string_view text, const std::string& algorithm = "sha256");

Result<std::string> digest(const Json& document, const std::string& algorithm = "sha256");

// Hexadecimal hash of bytes as they are: for a text that is canonical already (canonical_json, dump_json).
Result<std::string> hash_bytes(std::string_view bytes, const std::string& algorithm = "sha256");

}  // namespace nextstat
