#include <nextstat/documents.h>
#include <nextstat/patchset.h>
#include <nextstat/text.h>

#include <algorithm>
#include <utility>

#include "base/hash.h"
#include "base/try.h"
#include "model/patchset_check.h"

namespace nextstat {
namespace {

// Hexadecimal digits mean the same in either case.
std::string lower_case(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
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
