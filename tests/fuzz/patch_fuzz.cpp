// A document, a patch and a patchset, one after the other with zero bytes between them.
#include <nextstat/documents.h>
#include <nextstat/json.h>
#include <nextstat/patchset.h>
#include <nextstat/workspace.h>

#include <cstdint>
#include <string_view>

#include "fuzz/require.h"

namespace nextstat {
namespace {

std::string_view next_part(std::string_view& text) {
  const std::size_t end = std::min(text.find('\0'), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

Result<Json> parse_checked(std::string_view text) {
  Result<Json> document = parse_json(text);
  const Result<std::string> canonical = canonical_json(text);
  // The canonical text has integers of any size, a tree those of 64 bits.
  const bool large_integer = !document && document.errors().front().hint.text.find(
                                              "integers are limited to 64 bits") != std::string::npos;
  require(static_cast<bool>(document) == static_cast<bool>(canonical) || (canonical && large_integer),
          "tree and canonical text agree on validity");
  if (!document) {
    check_errors(document.errors());
    return document;
  }
  require(dump_json(*document) == *canonical, "tree and canonical text agree");
  const Result<Json> again = parse_json(dump_json(*document, 4));
  require(again && *again == *document, "a document survives writing and reading");
  return document;
}

void check_patch(const Json& document, const Json& patch) {
  const Result<Json> patched = apply_patch(document, patch);
  if (!patched) return check_errors(patched.errors());
  const std::string text = dump_json(*patched);
  require(static_cast<bool>(parse_json(text)), "a patched document is a document");
  if (const Result<Workspace> workspace = parse_workspace(text); !workspace) check_errors(workspace.errors());
}

void check_patchset(const Json& document, Json source) {
  const Result<PatchSet> patchset = PatchSet::read(std::move(source));
  if (!patchset) return check_errors(patchset.errors());
  const auto names = patchset->names();
  require(names.size() == patchset->size(), "every patch has a name");
  for (std::size_t i = 0; i < std::min<std::size_t>(names.size(), 5); ++i) {
    require(*patchset->find(names[i]) == i, "a patch is found by its name");
    require(*patchset->find_values(patchset->patches()[i].at("metadata").at("values")) == i,
            "and by its values");
    if (const auto applied = patchset->apply(document, i); !applied) check_errors(applied.errors());
    check_patch(document, patchset->extract(i));
  }
}

}  // namespace
}  // namespace nextstat

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nextstat;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<Json> document = parse_checked(next_part(text));
  const Result<Json> patch = parse_checked(next_part(text));
  Result<Json> patchset = parse_checked(next_part(text));
  if (document && patch) check_patch(*document, *patch);
  if (document && patchset) check_patchset(*document, std::move(*patchset));
  return 0;
}
