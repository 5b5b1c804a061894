// Operations on workspace documents with pyhf's meaning: combine, prune, rename, sort. They keep numbers as
// they were written (1 stays 1, 1.0 stays 1.0), so that digests agree with pyhf's.
//
//   Result<Json> joined = combine(left, right, {.join = Join::Outer});
#pragma once

#include <nextstat/result.h>

#include <map>
#include <string>
#include <vector>

#include "base/json_text.h"

namespace nextstat {

enum class Join {
  None,        // nothing in common
  Outer,       // what is in common must be equal; parameter settings of a common measurement are united
  LeftOuter,   // what is in common is taken from the left
  RightOuter,  // what is in common is taken from the right
};

// "none", "outer", "left outer", "right outer".
Result<Join> parse_join(const std::string& name);

struct CombineOptions {
  Join join = Join::None;
  bool merge_channels = false;  // a channel of both gets the samples of both; not with Join::None
};

struct PruneRequest {
  std::vector<std::string> channels = {};
  std::vector<std::string> samples = {};
  std::vector<std::string> modifiers = {};
  std::vector<std::string> modifier_types = {};
  std::vector<std::string> measurements = {};
};

using Renames = std::map<std::string, std::string>;  // old name -> new name

struct RenameRequest {
  Renames channels = {};  // their observations too
  Renames samples = {};
  Renames modifiers = {};  // parameter settings and parameters of interest too
  Renames measurements = {};
};

// An error of an input says which one: where starts with "left" or "right".
Result<Json> combine(const Json& left, const Json& right, const CombineOptions& options = {});
Result<Json> prune(const Json& workspace, const PruneRequest& request);
Result<Json> rename(const Json& workspace, const RenameRequest& request);

// Channels, samples, measurements, parameter settings and observations by name, modifiers by name and type.
Result<Json> sort(const Json& workspace);

}  // namespace nextstat
