#include <nextstat/documents.h>

#include "base/hash.h"
#include "base/try.h"

namespace nextstat {

const std::vector<std::string>& digest_algorithms() { return hash_algorithms(); }

Result<std::string> digest_of_text(std::string_view text, const std::string& algorithm) {
  TRY(const std::string canonical, canonical_json(text));
  return hash_bytes(canonical, algorithm);
}

Result<std::string> digest(const Json& document, const std::string& algorithm) {
  return hash_bytes(dump_json(document), algorithm);
}

}  // namespace nextstat
