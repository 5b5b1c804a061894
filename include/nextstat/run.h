// Options of every question that fits: data, start, bounds, fixed parameters, threads, progress, stop token.
//
//   FitOptions options;
//   options.run.fixed = {{"lumi", 1.0}};
//   options.run.on_progress = [](std::size_t done, std::size_t total) { std::cerr << done << "/" << total << "\n"; };
//
// Results have some fields in common: `converged` (the fits found their minima), `interrupted` (the stop token
// fired), `warnings` (anything unusual, in words), `fits` and `iterations` (what it took), `search` (the minima),
// `device` and `instruction_set` (where it was computed).
#pragma once

#include <nextstat/minima.h>
#include <nextstat/model.h>

#include <cstddef>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace nextstat {

// The name of a parameter ("staterror_SR[2]"), or of a parameter set ("staterror_SR"): all of its parameters.
struct NamedValue {
  std::string name;
  double value = 0;
};

// Bounds of a parameter, or of all parameters of a set.
struct NamedBounds {
  std::string name;
  double low = 0, high = 0;
};

// Where a question was computed, and why there.
struct DeviceUse {
  std::string name = "cpu";       // "cuda:0"
  std::string precision = "f64";  // or "f32"
  std::string choice = {};        // "asked for", "auto: too little work for a GPU"
  std::string fallback = {};      // why the device asked for was not used and the CPU was; "" = it was used
};

class Session;  // session.h

// Every question has these as `run`.
struct RunOptions {
  std::vector<double> data = {};         // main bins, then auxiliary data; empty = the model's own
  std::vector<NamedValue> init = {};     // start values instead of the model's
  std::vector<NamedValue> fixed = {};    // held at these values in every fit
  std::vector<std::string> freed = {};   // not fixed, although the model says so
  std::vector<NamedBounds> bounds = {};  // instead of the model's
  // Points that every fit is begun at.
  // 0 = as many as it takes to be sure of the deepest minimum, 1 = the suggested start only.
  std::size_t starts = 0;
  std::size_t threads = 0;           // 0 = all; results do not depend on it
  std::string instruction_set = {};  // "" = the widest this processor has
  std::string device = "auto";       // "cpu", "cuda", "cuda:1", "opencl:0": that one or an error
  bool fallback = false;             // the CPU where that device cannot be used; DeviceUse says so
  std::size_t device_memory = 0;     // bytes that a GPU may be asked for; 0 = what is free there
  // Fits done and fits in all; never called twice at once.
  std::function<void(std::size_t done, std::size_t total)> on_progress = {};
  // That answers, instead of one of its own; device, threads and the rest are then the session's. session.h sets it.
  Session* session = nullptr;
  std::stop_token stop = {};  // finished work is kept, the result says that it was interrupted
};

// Whether the device that the options name is there, without opening it. For questions about many models.
Result<void> check_device(const RunOptions& options);

}  // namespace nextstat
#pragma GCC visibility pop
