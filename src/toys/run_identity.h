// What makes two toy runs the same run: everything that changes a number in them. Kept as run.json in the
// folder of the run; pieces of a run belong together when it is equal, labels aside.
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

// The form of run.json. What earlier programs wrote stays readable.
enum class RunSchema { One = 1, Two = 2 };
const char* to_string(RunSchema schema);  // "nextstat/toy-run/2"

struct RunIdentity {
  RunSchema schema = RunSchema::Two;
  std::string kind;              // "toys", "hypotest-toys"
  std::string nextstat_version;  // numbers may change between versions
  // Model and options, as far as they change a number, in names and values that a person can read
  // (infer/toy_identity.cpp makes them). Schema 1: texts only.
  Json settings = Json::object();
  std::uint64_t seed = 0;
  std::vector<std::string> columns;  // of a toy's record
  std::vector<Ensemble> ensembles;   // one after the other
  std::size_t toys_per_block = 1000;
  // For people, of whoever began the run: "measurement", "workspace_digest", "patch". No number depends on
  // them. Schema 1 has "workspace_digest" alone, which there is part of the identity.
  std::map<std::string, std::string> labels = {};
  // The settings as schema 1 wrote them, as far as they can be known. Never written.
  std::map<std::string, std::string> earlier_settings = {};
};

// Canonical: sorted keys, an indent of 4, a line end. The content of run.json.
std::string identity_text(const RunIdentity& identity);
Json identity_json(const RunIdentity& identity);

// The label; "" where there is none.
std::string workspace_digest(const RunIdentity& identity);

// What is compared. (Schema 1 keeps its label.)
RunIdentity without_labels(RunIdentity identity);

// Reads what identity_text wrote; anything else is an error with a JSON pointer.
Result<RunIdentity> read_identity(std::string_view text);

// One error that names the fields that differ, with both values; empty when the two are the same run. `here`
// and `there` are how the two are called, `hint` is the next step.
Errors identity_differences(const RunIdentity& a, const std::string& here, const RunIdentity& b,
                            const std::string& there, const std::string& hint);

// `now` in the form of `earlier`, which is of schema 1: equal to it unless something differs that both know.
RunIdentity in_earlier_form(const RunIdentity& now, const RunIdentity& earlier);

}  // namespace nextstat
