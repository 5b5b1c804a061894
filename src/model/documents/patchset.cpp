#include <nextstat/documents.h>
#include <nextstat/patchset.h>
#include <nextstat/text.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/hash.h"
#include "base/try.h"
#include "model/workspace/document_shape.h"

namespace nextstat {
namespace {

// Hexadecimal digits mean the same in either case.
std::string lower_case(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

constexpr const char* kVersion = "1.0.0";

bool is_word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

bool is_hexadecimal(std::string_view text, std::size_t length, bool capitals) {
  return text.size() == length && std::all_of(text.begin(), text.end(), [&](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (capitals && c >= 'A' && c <= 'F');
         });
}

bool is_inspire_record(std::string_view text) {
  return text.size() == 10 && text.starts_with("ins") &&
         std::all_of(text.begin() + 3, text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// A string for which `right` holds; `wanted` says what it should be.
template <class Condition>
void check_text(ShapeCheck& check, const JsonPlace& place, Condition right, const std::string& wanted) {
  if (!check.string(place) || right(place.value.get_ref<const std::string&>())) return;
  check.fault(place.pointer, shorten(dump_json(place.value)) + " is not " + wanted, "give " + wanted);
}

void check_word(ShapeCheck& check, const JsonPlace& place) {
  check_text(check, place, is_word, "a name of letters, digits and '_'");
}

void check_not_empty(ShapeCheck& check, const JsonPlace& object, const std::string& wanted) {
  if (object.value.empty()) check.fault(object.pointer, "the object is empty", "give " + wanted);
}

void check_references(ShapeCheck& check, const JsonPlace& references) {
  if (!check.object(references, {.required = {}, .optional = {"hepdata"}})) return;
  check_not_empty(check, references, "'hepdata'");
  check.member(references, "hepdata", [&](const JsonPlace& record) {
    check_text(check, record, is_inspire_record, "'ins' and seven digits, e.g. \"ins1234567\"");
  });
}

void check_digests(ShapeCheck& check, const JsonPlace& digests) {
  if (!check.object(digests, {.required = {}, .optional = {"md5", "sha256"}})) return;
  check_not_empty(check, digests, "'md5' or 'sha256'");
  check.member(digests, "md5", [&](const JsonPlace& hash) {
    check_text(
        check, hash, [](std::string_view text) { return is_hexadecimal(text, 32, false); },
        "32 hexadecimal digits in lower case");
  });
  check.member(digests, "sha256", [&](const JsonPlace& hash) {
    check_text(
        check, hash, [](std::string_view text) { return is_hexadecimal(text, 64, true); },
        "64 hexadecimal digits");
  });
}

void check_metadata(ShapeCheck& check, const JsonPlace& metadata) {
  const Keys keys{.required = {"references", "digests", "labels", "description"}, .others_allowed = true};
  if (!check.object(metadata, keys)) return;
  check.member(metadata, "references",
               [&](const JsonPlace& references) { check_references(check, references); });
  check.member(metadata, "digests", [&](const JsonPlace& digests) { check_digests(check, digests); });
  check.member(metadata, "description", [&](const JsonPlace& description) { check.string(description); });
  check.member(metadata, "labels", [&](const JsonPlace& labels) {
    check.each(labels, 1, [&](const JsonPlace& label) { check_word(check, label); });
  });
}

void check_patch(ShapeCheck& check, const JsonPlace& patch) {
  if (!check.object(patch, {.required = {"metadata", "patch"}})) return;
  check.member(patch, "metadata", [&](const JsonPlace& metadata) {
    if (!check.object(metadata, {.required = {"name", "values"}, .others_allowed = true})) return;
    check.member(metadata, "name", [&](const JsonPlace& name) { check_word(check, name); });
    check.member(metadata, "values", [&](const JsonPlace& values) {
      check.each(values, 0, [&](const JsonPlace& value) {
        if (value.value.is_number() || value.value.is_string()) return;
        check.fault(value.pointer, "expected a number or a string, found " + kind_of(value.value),
                    "give the value of the label at this position");
      });
    });
  });
  check.member(patch, "patch", [&](const JsonPlace& operations) { check_patch_shape(check, operations); });
}

// The same text for values that are equal in Python: 1 and 1.0, but not "1".
std::string values_key(const Json& values) {
  Json normal = values;
  for (Json& value : normal) {
    // Within 2^53 every whole double is exactly an integer; beyond, its digits are kept.
    if (!value.is_number_float() || std::abs(value.get<double>()) > 9007199254740992.0) continue;
    if (std::trunc(value.get<double>()) == value.get<double>())
      value = static_cast<std::int64_t>(value.get<double>());
  }
  return dump_json(normal);
}

// Names and values must tell the patches apart, and values go with labels.
void check_patch_keys(ShapeCheck& check, const Json& document) {
  const std::size_t labels = document.at("metadata").at("labels").size();
  std::unordered_map<std::string, std::string> names, points;
  for (std::size_t i = 0; i < document.at("patches").size(); ++i) {
    const Json& metadata = document.at("patches")[i].at("metadata");
    const std::string pointer = pointer_append("/patches", i) + "/metadata";
    const auto [name, new_name] = names.try_emplace(metadata.at("name").get<std::string>(), pointer);
    if (!new_name) {
      check.fault(pointer + "/name", "the name '" + name->first + "' is taken by " + name->second,
                  "give every patch its own name");
    }
    const Json& values = metadata.at("values");
    const auto [point, new_point] = points.try_emplace(values_key(values), pointer);
    if (!new_point) {
      check.fault(pointer + "/values", "the values " + dump_json(values) + " are taken by " + point->second,
                  "give every patch its own values");
    }
    if (values.size() == labels) continue;
    check.fault(pointer + "/values",
                std::to_string(values.size()) + " values for " + std::to_string(labels) + " labels",
                "give one value per label in /metadata/labels");
  }
}

// Every fault with its pointer; empty for a valid patchset.
Errors patchset_errors(const Json& document) {
  ShapeCheck check;
  const JsonPlace root{document, ""};
  if (!check.object(root, {.required = {"patches", "metadata", "version"}})) return check.take_errors();
  check.member(root, "version", [&](const JsonPlace& version) {
    if (version.value == kVersion) return;
    check.fault(version.pointer, "unknown patchset version " + shorten(dump_json(version.value)),
                std::string("this program reads version \"") + kVersion + "\"");
  });
  check.member(root, "metadata", [&](const JsonPlace& metadata) { check_metadata(check, metadata); });
  check.member(root, "patches", [&](const JsonPlace& patches) {
    check.each(patches, 1, [&](const JsonPlace& patch) { check_patch(check, patch); });
  });
  if (!check.has_faults()) check_patch_keys(check, document);
  return check.take_errors();
}

}  // namespace

PatchSet::PatchSet(Json document) : document_(std::move(document)) {
  for (std::size_t i = 0; i < patches().size(); ++i) {
    const Json& about = patches()[i].at("metadata");
    by_name_.emplace(about.at("name").get<std::string>(), i);
    by_values_.emplace(values_key(about.at("values")), i);
  }
}

Result<PatchSet> PatchSet::read(Json document) {
  Errors faults = patchset_errors(document);
  if (!faults.empty()) return faults;
  return PatchSet(std::move(document));
}

std::vector<std::string> PatchSet::names() const {
  std::vector<std::string> result;
  for (const Json& patch : patches()) result.push_back(patch.at("metadata").at("name").get<std::string>());
  return result;
}

Result<std::size_t> PatchSet::find(const std::string& name) const {
  const auto found = by_name_.find(name);
  if (found != by_name_.end()) return found->second;
  return Error{ErrorCode::NotFound, "", "the patchset has no patch '" + name + "'",
               did_you_mean(name, names(), Listing::Patches)};
}

Result<std::size_t> PatchSet::find_values(const Json& values) const {
  const auto found = by_values_.find(values_key(values));
  if (found != by_values_.end()) return found->second;
  return Error{ErrorCode::NotFound,
               "",
               "the patchset has no patch with the values " + dump_json(values),
               {"the labels are " + dump_json(metadata().at("labels")), Listing::Patches}};
}

Json PatchSet::extract(std::size_t position, bool with_metadata) const {
  const Json& entry = patches().at(position);
  if (!with_metadata) return entry.at("patch");
  Json result = entry;
  result["metadata"].update(metadata());
  return result;
}

Result<void> PatchSet::verify(const Json& workspace) const {
  const std::string text = dump_json(workspace);
  Errors mismatches;
  for (const auto& [algorithm, expected] : metadata().at("digests").items()) {
    TRY(const std::string actual, hash_bytes(text, algorithm));
    if (actual == lower_case(expected.get<std::string>())) continue;
    mismatches.push_back({ErrorCode::BadInput, "/metadata/digests/" + algorithm,
                          "the workspace is not the one this patchset was made for: its digest is " + actual +
                              ", not " + expected.get<std::string>(),
                          "use the background-only workspace published with the patchset, unchanged"});
  }
  if (!mismatches.empty()) return mismatches;
  return {};
}

Result<Json> PatchSet::apply(const Json& workspace, std::size_t position) const {
  TRY_DO(verify(workspace));
  return apply_patch(workspace, patches().at(position).at("patch"),
                     pointer_append("/patches", position) + "/patch");
}

}  // namespace nextstat
