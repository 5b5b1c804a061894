// Results of toys for people.
#pragma once

#include <nextstat/hypotest_toys.h>
#include <nextstat/toys.h>

#include <string>

namespace nextstat::cli {

// "0.058 ± 0.007"; "-" where there is no number.
std::string with_error(double value, double error);

std::string hypotest_toys_screen(const Model& model, const HypotestToysResult& result, bool expected_set);
std::string toys_screen(const Model& model, const ToysResult& result, const std::string& folder);

}  // namespace nextstat::cli
