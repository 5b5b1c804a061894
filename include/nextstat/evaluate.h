// The likelihood at given points.
//
//   Result<Evaluation> at = evaluate(model, model.initial(), {.gradient = true});
//   at->nll[0];
#pragma once

#include <nextstat/run.h>

#include <span>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace nextstat {

// What is wanted besides the NLL, and where it is computed.
struct EvaluateOptions {
  bool gradient = false, hessian = false, expected = false;
  // Main bins, then auxiliary data; empty = the model's own. For several rows also [row][datum].
  std::span<const double> data = {};
  std::size_t threads = 0;           // 0 = all; results do not depend on it
  std::string instruction_set = "";  // "" = the widest this processor has
  std::string device = "auto";       // as in RunOptions
  bool fallback = false;
  std::size_t device_memory = 0;  // bytes that a GPU may be asked for; 0 = what is free there
  Session* session = nullptr;     // that answers, as in RunOptions
  bool parts = false;             // the NLL of the main bins and of the constraints apart
  Limits limits = {};
};

// What was asked for; the rest is empty.
struct Evaluation {
  std::vector<double> nll;  // [row]; +infinity where an observed count has no rate
  // [row] Of the constraints, all constants included, and the rest of the NLL.
  std::vector<double> nll_constraint, nll_main;
  std::vector<double> gradient;  // [row][parameter]
  std::vector<double> hessian;   // [row][parameter][parameter]
  std::vector<double> expected;  // [row][datum]
  DeviceUse device;
  std::string instruction_set;
};

// parameters: [row][parameter], one or more rows.
Result<Evaluation> evaluate(const Model& model, std::span<const double> parameters,
                            const EvaluateOptions& options = {});

// Data that the model expects at a point, main and auxiliary: what a fit of the model gives back exactly.
Result<std::vector<double>> asimov_data(const Model& model, std::span<const double> parameters);

}  // namespace nextstat
#pragma GCC visibility pop
