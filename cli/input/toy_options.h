// Options that the verbs with toys share.
//
//   ToyInput toys_;         toys_.declare(command);          // --n-toys --seed --fixed-aux --batch
//   ToyStorageInput store_; store_.declare(command);         // --shard --out --resume
//   options.toys = toys_.options(*run);
//   Result<ToyStorage> storage = store_.storage(input_, *run);
#pragma once

#include <nextstat/toys.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "input/run_input.h"

namespace nextstat::cli {

class ToyInput {
 public:
  // `n_toys_help` says of what there are so many.
  void declare(CLI::App& command, const std::string& n_toys_help);
  // For a verb that draws toys only where their number is given.
  void declare_on_demand(CLI::App& command, const std::string& n_toys_help, const std::string& n_toys_name);
  // For verbs that use toys only where asked: an option given without that is an error.
  Errors unused(const std::string& how_to_ask) const;
  bool has_number() const { return declared_.front()->count() > 0; }
  // The progress line of the run counts toys, and a run of more than a few seconds says first what it takes.
  ToyOptions options(Run& run) const;

 private:
  void declare_all(CLI::App& command, const std::string& n_toys_name, const std::string& n_toys_help);

  ToyOptions options_;
  std::vector<CLI::Option*> declared_;
};

class ToyStorageInput {
 public:
  void declare(CLI::App& command);
  // What belongs to the options alone: a shard that is none, a shard without a folder.
  Errors check() const;
  // With labels of the workspace.
  Result<ToyStorage> storage(const RunInput& input, const Run& run) const;
  std::string folder() const { return out_.empty() ? resume_ : out_; }

 private:
  std::string shard_, out_, resume_;
};

// "folder" and "shard" of a result, where there are any.
void add_place(nlohmann::json& json, const ToyStorage& storage);

// Tells how to go on with an interrupted run.
void warn_if_interrupted(const Console& console, const ToyStorage& storage, bool interrupted);

}  // namespace nextstat::cli
