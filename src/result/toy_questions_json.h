// JSON of the questions that toys can answer too:
// significance, goodness-of-fit, upper-limit, feldman-cousins.
#pragma once

#include <nextstat/feldman_cousins.h>
#include <nextstat/goodness_of_fit_toys.h>
#include <nextstat/significance_toys.h>
#include <nextstat/upper_limit_toys.h>

#include <nlohmann/json.hpp>

namespace nextstat {

nlohmann::json significance_toys_json(const Model& model, const SignificanceToysResult& result);
nlohmann::json goodness_of_fit_toys_json(const Model& model, const GoodnessOfFitToysResult& result);
nlohmann::json upper_limit_toys_json(const Model& model, const UpperLimitToysResult& result);
nlohmann::json feldman_cousins_json(const Model& model, const FeldmanCousinsResult& result);

}  // namespace nextstat
