// A patchset: many named patches of one background-only workspace, e.g. one per signal mass point.
//
//   Result<PatchSet> patchset = PatchSet::read(document);
//   Result<Json> signal = patchset->apply(background, *patchset->find("C1N2_Wh_hbb_300_75"));
//
// Needs nlohmann-json.
#pragma once

#include <nextstat/json.h>
#include <nextstat/result.h>

#include <string>
#include <unordered_map>
#include <vector>

#pragma GCC visibility push(default)
namespace nextstat {

// A document that was checked; patches are meant by their position in it.
class PatchSet {
 public:
  // Checks the whole document and lists every fault with its pointer.
  static Result<PatchSet> read(Json document);

  std::size_t size() const { return patches().size(); }
  const Json& metadata() const { return document_.at("metadata"); }
  const Json& patches() const { return document_.at("patches"); }  // [{metadata: {name, values}, patch}]
  std::vector<std::string> names() const;

  // Position of a patch by name or by its values, one per label; numbers compare by value (1 is 1.0).
  Result<std::size_t> find(const std::string& name) const;
  Result<std::size_t> find_values(const Json& values) const;

  // The operations of a patch; with metadata: {metadata: those of patch and patchset, patch: the operations}.
  Json extract(std::size_t position, bool with_metadata = false) const;

  // Compares the digests in the metadata with those of the workspace.
  Result<void> verify(const Json& workspace) const;

  // The workspace with one patch applied; verifies first.
  Result<Json> apply(const Json& workspace, std::size_t position) const;

 private:
  explicit PatchSet(Json document);

  Json document_;
  std::unordered_map<std::string, std::size_t> by_name_;
  std::unordered_map<std::string, std::size_t> by_values_;
};

}  // namespace nextstat
#pragma GCC visibility pop
