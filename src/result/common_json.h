// What several results have in common, as JSON.
#pragma once

#include <nextstat/hypotest.h>
#include <nextstat/minima.h>
#include <nextstat/model.h>

#include <array>
#include <nlohmann/json.hpp>
#include <span>

namespace nextstat {

nlohmann::json parts_json(std::span<const IntervalPart> parts);  // [[lower, upper], ...]

// One number of each expected value, as an array.
nlohmann::json band_json(const std::array<TailProbabilities, 5>& expected, double TailProbabilities::*member);

// nsigma_order, cls, clsb, clb of the expected values.
nlohmann::json expected_set_json(const std::array<TailProbabilities, 5>& expected);

// minima, starts, exhausted: where a question's fits began, and what they led to.
void add_search(nlohmann::json& json, const Model& model, const MinimaSearch& search);

// What a sample of toys shows about the minima of their fits.
nlohmann::json toy_minima_json(std::span<const SampledToys> kinds);

nlohmann::json goodness_json(const GoodnessOfFit& goodness);

nlohmann::json poi_index(const Model& model);  // null without a parameter of interest
void add_poi(nlohmann::json& json, const Model& model);

// How the answer came about: what every result ends with.
template <class R>
void add_outcome(nlohmann::json& json, const Model& model, const R& result) {
  json["converged"] = result.converged;
  json["interrupted"] = result.interrupted;
  json["instruction_set"] = result.instruction_set;
  json["warnings"] = result.warnings;
  if constexpr (requires { result.search; }) add_search(json, model, result.search);
}

}  // namespace nextstat
