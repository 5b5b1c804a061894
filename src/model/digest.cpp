#include <nextstat/documents.h>

#include "base/hash.h"

namespace nextstat {

Result<std::string> digest_of_text(std::string_view text, const std::string& algorithm) {
  const Result<std::string> canonical = canonical_json(text);
  if (!canonical) return canonical.errors();
  return hash_bytes(*canonical, algorithm);
}

Result<std::string> digest(const Json& document, const std::string& algorithm) {
  return hash_bytes(dump_json(document), algorithm);
}

}  // namespace nextstat
