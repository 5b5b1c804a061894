// Questions of `nextstat bench` and how long their answers take, on models made in memory.
//
//   Result<BenchRun> run = run_suite(Suite::Quick, options);
//
// A case is one call of the library, repeated, in a session that is open. Opening one is a case of its own.
#pragma once

#include <nextstat/run.h>

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace nextstat::cli {

enum class Suite { Quick, Full };

struct BenchTiming {
  std::string name;  // "fit/medium"
  double median_s = 0;
  double spread = 0;      // (third quartile - first quartile) / median
  std::size_t n = 0;      // calls
  bool converged = true;  // every fit of every call
};

struct BenchOptions {
  std::size_t threads = 1;
  std::string instruction_set = "";
  std::string device = "cpu";
  std::stop_token stop = {};
  std::function<void(std::size_t done, std::size_t total)> on_progress = {};  // cases
};

struct BenchRun {
  std::vector<BenchTiming> timings;  // in order; cases not finished when stopped are left out
  DeviceUse device;
};

Result<BenchRun> run_suite(Suite suite, const BenchOptions& options);

// Median and relative spread of measured times.
BenchTiming summarize(std::string name, std::vector<double> seconds, bool converged);

// A case measured now and before.
struct BenchChange {
  std::string name;
  double before_s = 0, now_s = 0;
  double ratio = 0;  // now / before
  double limit = 0;  // above it the case has become slower beyond noise
  bool regression() const { return ratio > limit; }
};

// Cases of both, in today's order. limit = 1 + max(0.25, 3 (spread before + spread now)).
std::vector<BenchChange> compare_timings(std::span<const BenchTiming> before,
                                         std::span<const BenchTiming> now);

}  // namespace nextstat::cli
