// What makes two toy runs the same run: everything that changes a number in them. Kept as run.json in the
// folder of the run; pieces of a run belong together when this text is equal byte for byte.
//
//   RunIdentity identity{.kind = "toys", .seed = 42, .columns = {"nll"}, .ensembles = {{0, "toys", 20000}}};
//   std::string text = identity_text(identity);
#pragma once

#include <nextstat/result.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_text.h"

namespace nextstat {

// Toys drawn from one hypothesis, numbered from 0.
struct Ensemble {
  std::size_t hypothesis = 0;  // the number that enters the random numbers
  std::string name;            // "background", "signal + background"
  std::size_t n_toys = 0;
};

struct RunIdentity {
  std::string kind;              // "toys", "hypotest-toys"
  std::string nextstat_version;  // numbers may change between versions
  std::string workspace_digest;  // sha256, after patches
  // Options that change a number: measurement, interpolation codes, POI, mu, test statistic, digests of data,
  // start, bounds and fixed parameters, ... Each value as text, doubles by python_float_repr.
  std::map<std::string, std::string> settings;
  std::uint64_t seed = 0;
  std::vector<std::string> columns;  // of a toy's record
  std::vector<Ensemble> ensembles;   // one after the other
  std::size_t toys_per_block = 1000;
};

// Canonical: sorted keys, an indent of 4, a line end. The content of run.json.
std::string identity_text(const RunIdentity& identity);
Json identity_json(const RunIdentity& identity);

// Reads what identity_text wrote; anything else is an error with a JSON pointer.
Result<RunIdentity> read_identity(std::string_view text);

// One error per field that differs, with both values; empty when the two are equal. `here` and `there` are
// how the two are called, `hint` is the next step.
Errors identity_differences(const RunIdentity& a, const std::string& here, const RunIdentity& b,
                            const std::string& there, const std::string& hint);

}  // namespace nextstat
