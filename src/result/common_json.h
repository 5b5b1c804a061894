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

// minima, starts, exhausted: where a question's fits began, and what they led to.
void add_search(nlohmann::json& json, const Model& model, const MinimaSearch& search);

// What a sample of toys shows about the minima of their fits.
nlohmann::json toy_minima_json(std::span<const SampledToys> kinds);

}  // namespace nextstat
