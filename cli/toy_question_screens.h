// Answers of toys for people: significance, goodness-of-fit, upper-limit, feldman-cousins.
#pragma once

#include <nextstat/feldman_cousins.h>
#include <nextstat/goodness_of_fit_toys.h>
#include <nextstat/significance_toys.h>
#include <nextstat/upper_limit_toys.h>

#include <string>

namespace nextstat::cli {

std::string significance_toys_screen(const Model& model, const SignificanceToysResult& result);
std::string goodness_of_fit_toys_screen(const GoodnessOfFitToysResult& result);
std::string upper_limit_toys_screen(const Model& model, const UpperLimitToysResult& result);
std::string feldman_cousins_screen(const Model& model, const FeldmanCousinsResult& result);

}  // namespace nextstat::cli
