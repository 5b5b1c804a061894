// Draws toy data (pseudo-experiments). Toy i depends on (seed, hypothesis, i) only.
//
//   Result<DrawPlan> plan = make_draw_plan(compiled_model(model), expected, {}, false);
//   draw_toys(*plan, seed, hypothesis, first, count, data);
//
// Main bins and auxiliary data of Poisson constraints: counts at their expectation. Auxiliary data of normal
// constraints: Normal(expectation, sigma). Rules in docs/numerics.md, "Random numbers".
#pragma once

#include <nextstat/result.h>

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/draw_layout.h"
#include "model/compile/compiled_model.h"

namespace nextstat {

// Poisson rates up to this are drawn by table, larger ones by rejection.
constexpr double kLargestTableRate = 256;
// Larger rates are refused: counts must be exact doubles.
constexpr double kLargestRate = 0x1p52;
// Larger models are refused: the places of their tables would not fit 32 bits.
constexpr std::size_t kMostDrawnData = std::size_t{1} << 21;
constexpr std::uint32_t kHypotheses = 1u << 16;
constexpr std::uint64_t kToys = std::uint64_t{1} << 48;

// How the toys of one hypothesis are drawn, as plain arrays: what a device receives.
struct DrawPlan {
  std::vector<NsDatum> data;              // [datum] main bins, then auxiliary data
  std::vector<double> reals;              // by NsDatum::reals
  std::vector<std::uint64_t> thresholds;  // by NsDatum::thresholds
  std::vector<std::uint32_t> guide;       // by NsDatum::guide

  std::vector<std::uint32_t> negative;  // data whose rate is below zero, drawn as 0; for a warning
};

// expected: [datum] main bins, then auxiliary data, as a session evaluates it. With fixed_auxiliary the
// auxiliary data of every toy are auxiliary_observed, which is not read otherwise. An error for values that
// are not finite, rates above kLargestRate, wrong lengths, more than kMostDrawnData data.
Result<DrawPlan> make_draw_plan(const CompiledModel& model, std::span<const double> expected,
                                std::span<const double> auxiliary_observed, bool fixed_auxiliary);

// hypothesis < kHypotheses, toys < kToys; std::logic_error otherwise.
void check_toys(std::uint32_t hypothesis, std::uint64_t first, std::size_t count);

// Toys first ... first + count - 1; data: [toy][datum], filled. hypothesis < kHypotheses, toys < kToys
// (std::logic_error otherwise).
void draw_toys(const DrawPlan& plan, std::uint64_t seed, std::uint32_t hypothesis, std::uint64_t first,
               std::size_t count, double* data);

}  // namespace nextstat
