// Hashes of bytes as they are. (Digests of documents, which do not depend on spaces: nextstat/documents.h.)
//
//   Result<std::string> hash = hash_bytes(bytes);   // sha256, hexadecimal
#pragma once

#include <nextstat/result.h>

#include <string>
#include <string_view>
#include <vector>

namespace nextstat {

// Named as in Python's hashlib.
const std::vector<std::string>& hash_algorithms();

// Hexadecimal.
Result<std::string> hash_bytes(std::string_view bytes, const std::string& algorithm = "sha256");

}  // namespace nextstat
