// What every question that uses toys takes from Python, as entries of a dictionary.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nextstat/toys.h>

#include <string>

#include "python_run.h"

namespace nextstat::python {

// n_toys, seed, fixed_aux, batch.
inline ToyOptions toy_options(const nanobind::dict& settings) {
  ToyOptions options;
  options.n_toys = entry<std::size_t>(settings, "n_toys", options.n_toys);
  options.seed = entry<std::uint64_t>(settings, "seed", options.seed);
  options.fixed_auxiliary = entry<bool>(settings, "fixed_aux", false);
  options.batch = entry<std::size_t>(settings, "batch", 0);
  return options;
}

// folder, resume, shard, shards.
inline ToyStorage toy_storage(const nanobind::dict& settings, const std::string& digest) {
  ToyStorage storage;
  storage.folder = entry<std::string>(settings, "folder", "");
  storage.resume = entry<bool>(settings, "resume", false);
  storage.shard = entry<std::size_t>(settings, "shard", 1);
  storage.shards = entry<std::size_t>(settings, "shards", 1);
  storage.labels["workspace_digest"] = digest;
  return storage;
}

// Where the toys are kept and which part was computed, as the command line says it; nothing without a folder.
inline void add_place(Dictionary& answer, const ToyStorage& storage) {
  if (storage.folder.empty()) return;
  answer["folder"] = nanobind::cast(storage.folder);
  answer["shard"] = nanobind::cast(std::to_string(storage.shard) + "/" + std::to_string(storage.shards));
}

}  // namespace nextstat::python
