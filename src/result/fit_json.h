// The result of a fit as JSON (docs/schemas/fit.json).
#pragma once

#include <nextstat/fit.h>
#include <nextstat/model.h>

#include <nlohmann/json.hpp>

namespace nextstat {

// Matrices of more parameters than this are left out of the text unless asked for:
// the text of 5,000 x 5,000 numbers takes half a gigabyte.
constexpr std::size_t kMostParametersInText = 1000;

nlohmann::json fit_json(const Model& model, const FitResult& result, bool large_matrices = false);
// The same without covariance and correlation, for those who want these as arrays.
nlohmann::json fit_json_without_matrices(const Model& model, const FitResult& result);

}  // namespace nextstat
