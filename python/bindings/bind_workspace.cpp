// Workspace documents: texts in, texts out.
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <nextstat/documents.h>
#include <nextstat/files.h>
#include <nextstat/json.h>
#include <nextstat/patchset.h>
#include <nextstat/workspace.h>

#include "bind.h"
#include "errors.h"

namespace nextstat::python {

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace {

Json parsed(const std::string& text, const char* where) {
  Result<Json> document = parse_json(text);
  if (document) return std::move(*document);
  Errors errors = document.errors();
  for (Error& error : errors) error.where.file = where;
  raise(errors);
}

using Names = std::vector<std::string>;

}  // namespace

void bind_workspace(nb::module_& module) {
  module.def(
      "read_text",
      [](const nb::bytes& path) {
        const std::string text = value_of(read_text({path.c_str(), path.size()}, Limits{}.text_bytes));
        return nb::bytes(text.data(), text.size());
      },
      "path"_a, "Path and content are bytes: neither has to be UTF-8.");
  module.def(
      "check_workspace", [](const std::string& text) { return value_of(parse_workspace(text)).warnings; },
      "text"_a, "Raises all errors of the document as one exception; returns warnings.");
  module.def(
      "digest",
      [](const std::string& text, const std::string& algorithm) {
        return value_of(digest_of_text(text, algorithm));
      },
      "text"_a, "algorithm"_a = "sha256");
  module.def(
      "apply_patch",
      [](const std::string& text, const std::string& patch) {
        return dump_json(value_of(apply_patch(parsed(text, "workspace"), parsed(patch, "patch"))));
      },
      "text"_a, "patch"_a);
  module.def(
      "apply_from_patchset",
      [](const std::string& text, const std::string& patchset, const std::string& name) {
        const PatchSet patches = value_of(PatchSet::read(parsed(patchset, "patchset")));
        return dump_json(value_of(patches.apply(parsed(text, "workspace"), value_of(patches.find(name)))));
      },
      "text"_a, "patchset"_a, "name"_a);
  module.def(
      "combine",
      [](const std::string& left, const std::string& right, const std::string& join, bool merge) {
        return dump_json(value_of(
            combine(parsed(left, "left"), parsed(right, "right"), {value_of(parse_join(join)), merge})));
      },
      "left"_a, "right"_a, "join"_a = "none", "merge_channels"_a = false);
  module.def(
      "prune",
      [](const std::string& text, Names channels, Names samples, Names modifiers, Names types,
         Names measurements) {
        return dump_json(
            value_of(prune(parsed(text, "workspace"), {channels, samples, modifiers, types, measurements})));
      },
      "text"_a, "channels"_a, "samples"_a, "modifiers"_a, "modifier_types"_a, "measurements"_a);
  module.def(
      "rename",
      [](const std::string& text, Renames channels, Renames samples, Renames modifiers,
         Renames measurements) {
        return dump_json(
            value_of(rename(parsed(text, "workspace"), {channels, samples, modifiers, measurements})));
      },
      "text"_a, "channels"_a, "samples"_a, "modifiers"_a, "measurements"_a);
  module.def(
      "sorted", [](const std::string& text) { return dump_json(value_of(sort(parsed(text, "workspace")))); },
      "text"_a);
}

}  // namespace nextstat::python
