// Toys: pseudo-experiments drawn from the model and fitted. On disk they are blocks that are whole or not
// there, so a run may be stopped, killed, resumed, and spread over machines (docs/toys.md).
//
//   Result<ToysResult> result = toys(model, {.toys = {.n_toys = 10000}, .storage = {.folder = "run"}});
//
// Toy i depends on (model, truth, seed, hypothesis, i) only: same bytes for any threads, batch and shards.
#pragma once

#include <nextstat/minima.h>
#include <nextstat/run.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace nextstat {

// What the rest of a run will take, known after its first toys.
struct ToyCost {
  double seconds = 0;
  double toys_per_second = 0;
  std::size_t bytes = 0;  // of memory, besides the model's
  std::size_t toys = 0;   // that are left
};

// What all questions that use toys have in common.
struct ToyOptions {
  std::size_t n_toys = 1000;  // of every hypothesis
  std::uint64_t seed = 42;
  bool fixed_auxiliary = false;  // auxiliary data stay as observed
  std::size_t batch = 0;         // toys fitted in one go; 0 = chosen. Changes no number
  std::function<void(const ToyCost&)> on_cost = {};
};

// Where the toys of a run are kept.
struct ToyStorage {
  std::string folder = {};            // "" = nowhere
  bool resume = false;                // go on with what is there
  std::size_t shard = 1, shards = 1;  // this process computes part `shard` of `shards`
  // Kept with a run that is begun, for people: "workspace_digest", "patch". Not compared when it goes on.
  std::map<std::string, std::string> labels = {};
};

// What toys are drawn from, and what is kept of them.
struct ToysOptions {
  RunOptions run = {};
  ToyOptions toys = {};
  ToyStorage storage = {};
  // The truth: the fit to the data with the POI fixed at mu; without mu the best fit; or these values.
  std::optional<double> mu = {};
  std::vector<double> truth = {};
  // Not empty: toys are drawn around these data, [datum], instead of what the truth expects; the truth is
  // then where the fits begin.
  std::vector<double> expected = {};
  std::vector<std::string> parameters = {};  // to keep of every toy, besides the POI; names or sets
};

// What the toys say together; `use` gets each of them.
struct ToysResult {
  std::vector<double> truth;
  std::vector<std::string> columns;  // of a toy's record: nll, mu_hat, status, n_iter, parameters
  std::size_t n_toys = 0;            // of the run
  std::size_t n_done = 0;            // that are there
  std::size_t n_error = 0, n_nonconverged = 0;
  std::optional<double> mean_mu_hat, sigma_mu_hat;  // of converged toys
  double mean_iterations = 0;
  bool complete = false;    // all toys of the run are there
  bool shard_done = false;  // all toys of this shard are there
  bool interrupted = false;
  bool converged = false;  // the fit that gives the truth
  std::uint64_t seed = 0;
  std::vector<std::string> warnings;
  std::vector<SampledToys> toy_minima;  // of the fits: one kind
  DeviceUse device;
  std::string instruction_set;
};

// `use` gets the record of every toy that is there, in order: its number and the values of the columns.
using UseToy = std::function<void(std::size_t toy, std::span<const double> record)>;
Result<ToysResult> toys(const Model& model, const ToysOptions& options = {}, const UseToy& use = {});

// The data of toys alone, [toy][datum], drawn around `expected`, [datum]: those that `toys` fits.
Result<std::vector<double>> toy_data(const Model& model, std::span<const double> expected,
                                     const ToyOptions& options = {}, std::size_t threads = 0);

}  // namespace nextstat
#pragma GCC visibility pop
