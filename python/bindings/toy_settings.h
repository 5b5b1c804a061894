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
  take(settings, "n_toys", options.n_toys);
  take(settings, "seed", options.seed);
  take(settings, "fixed_aux", options.fixed_auxiliary);
  take(settings, "batch", options.batch);
  return options;
}

// folder, resume, shard, shards.
inline ToyStorage toy_storage(const nanobind::dict& settings, const std::string& digest) {
  ToyStorage storage;
  take(settings, "folder", storage.folder);
  take(settings, "resume", storage.resume);
  take(settings, "shard", storage.shard);
  take(settings, "shards", storage.shards);
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
