// What makes two toy runs the same run: everything that changes a number in them. Kept as run.json in the
// folder of the run; pieces of a run belong together when it is equal, labels aside.
//
//   RunIdentity identity{.kind = "toys", .seed = 42, .columns = {"nll"}, .ensembles = {{0, "toys", 20000}}};
//   std::string text = identity_text(identity);
#pragma once

#include <nextstat/toy_folder.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace nextstat {

// Canonical: sorted keys, an indent of 4, a line end. The content of run.json.
std::string identity_text(const RunIdentity& identity);
Json identity_json(const RunIdentity& identity);

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
