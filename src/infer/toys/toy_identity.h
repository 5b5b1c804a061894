// The identity of a toy run: everything of the model and the options that changes a number in it,
// in names and values that a person can read (docs/toys.md).
// The same model and options give the same identity, whoever starts the run (the program, Python, a worker),
// however the model was loaded and the options were written.
//
//   ToyQuestion question{.kind = "hypotest-toys", .settings = {{"mu", 1.0}}, .columns = {"q"}, ...};
//   RunIdentity identity = toy_run_identity(setup, options.toys, options.storage, question);
//
// Not in it, because no number depends on it: threads, device, instruction set, batch, shard.
#pragma once

#include <nextstat/toys.h>

#include <string>
#include <vector>

#include "infer/setup/setup.h"
#include "toy_folder/run_identity.h"

namespace nextstat {

// Which data change the toys of a question.
enum class DataInToys { All, Auxiliary, None };

struct ToyQuestion {
  std::string kind;
  Json settings = Json::object();  // what this question alone has: tested value, truth, ...
  DataInToys data = DataInToys::All;
  std::vector<std::string> columns;
  std::vector<Ensemble> ensembles;
};

// Without a folder to keep the run in, settings and labels are left out: nobody would read them.
RunIdentity toy_run_identity(const Setup& setup, const ToyOptions& toys, const ToyStorage& storage,
                             ToyQuestion question);

// A digest of numbers that are too many to be listed.
std::string numbers_sha256(std::span<const double> values);

}  // namespace nextstat
