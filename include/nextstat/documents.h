// Workspaces as documents, with pyhf's meaning: combine, prune, rename, sort, patch, digest. Numbers stay as
// they were written (1 stays 1, 1.0 stays 1.0), so that digests agree with pyhf's.
//
//   Result<Json> joined = combine(left, right, {.join = Join::Outer});
//   Result<std::string> hash = digest(*joined);
//
// Needs nlohmann-json.
#pragma once

#include <nextstat/json.h>
#include <nextstat/names.h>
#include <nextstat/result.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace nextstat {

// What combine() does with what is in both workspaces.
enum class Join {
  None,        // nothing in common
  Outer,       // what is in common must be equal; parameter settings of a common measurement are united
  LeftOuter,   // what is in common is taken from the left
  RightOuter,  // what is in common is taken from the right
};

// Joins by their names.
NameTable<Join> joins();
const char* to_string(Join join);  // "left outer"
// The join of a name.
Result<Join> parse_join(std::string_view name);

// How two workspaces become one.
struct CombineOptions {
  Join join = Join::None;
  bool merge_channels = false;  // a channel of both gets the samples of both; not with Join::None
};

// Names of what is left out.
struct PruneRequest {
  std::vector<std::string> channels = {};
  std::vector<std::string> samples = {};
  std::vector<std::string> modifiers = {};
  std::vector<std::string> modifier_types = {};
  std::vector<std::string> measurements = {};
};

using Renames = std::map<std::string, std::string>;  // old name -> new name

// New names, by kind.
struct RenameRequest {
  Renames channels = {};  // their observations too
  Renames samples = {};
  Renames modifiers = {};  // parameter settings and parameters of interest too
  Renames measurements = {};
};

// Two workspaces as one. An error of an input says which one: its file is "left" or "right".
Result<Json> combine(const Json& left, const Json& right, const CombineOptions& options = {});

// The workspace without what is named. A name that it does not have is an error.
Result<Json> prune(const Json& workspace, const PruneRequest& request);

// The workspace with new names. A name that it does not have is an error.
Result<Json> rename(const Json& workspace, const RenameRequest& request);

// Channels, samples, measurements, parameter settings and observations by name, modifiers by name and type.
Result<Json> sort(const Json& workspace);

// A JSON patch (RFC 6902): all operations or none; stops at the first that does not fit the document. Errors
// point into the patch ("/3/path") and say what the document lacks there; pointers start with `where`, the
// place of the patch in its file.
Result<Json> apply_patch(Json document, const Json& patch, const std::string& where = "");

// As pyhf.utils.digest: the hash of the canonical text, UTF-8 with sorted keys, ", " and ": " between items
// and numbers as Python writes them. Algorithms are named as in Python's hashlib.
const std::vector<std::string>& digest_algorithms();
Result<std::string> digest(const Json& document, const std::string& algorithm = "sha256");

// The same of a JSON text, which need not be in canonical form.
Result<std::string> digest_of_text(std::string_view text, const std::string& algorithm = "sha256");

}  // namespace nextstat
#pragma GCC visibility pop
