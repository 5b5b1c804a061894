// What every question that fits takes: data, start, bounds, fixed parameters, threads, progress, a way to
// stop.
//
//   FitOptions options;
//   options.run.fixed = {{"lumi", 1.0}};
//   options.run.on_progress = [](std::size_t done, std::size_t total) { ... };
#pragma once

#include <nextstat/model.h>

#include <cstddef>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace nextstat {

// A name is that of a parameter ("staterror_SR[2]") or of a parameter set ("staterror_SR"), which then means
// all of its parameters.
struct NamedValue {
  std::string name;
  double value = 0;
};

struct NamedBounds {
  std::string name;
  double low = 0, high = 0;
};

struct RunOptions {
  std::vector<double> data = {};         // main bins, then auxiliary data; empty = the model's own
  std::vector<NamedValue> init = {};     // start values instead of the model's
  std::vector<NamedValue> fixed = {};    // held at these values in every fit
  std::vector<NamedBounds> bounds = {};  // instead of the model's
  std::size_t threads = 0;               // 0 = all; results do not depend on it
  std::string instruction_set = {};      // "" = the widest this processor has
  std::function<void(std::size_t done, std::size_t total)> on_progress =
      {};                     // fits; never called twice at once
  std::stop_token stop = {};  // finished work is kept, the result says that it was interrupted
};

// Data that the model expects at a point, main and auxiliary: what a fit of the model gives back exactly.
Result<std::vector<double>> asimov_data(const Model& model, std::span<const double> parameters);

}  // namespace nextstat
