// Results of toys for people.
#pragma once

#include <nextstat/feldman_cousins.h>
#include <nextstat/goodness_of_fit_toys.h>
#include <nextstat/hypotest_toys.h>
#include <nextstat/significance_toys.h>
#include <nextstat/toy_folder.h>
#include <nextstat/toys.h>
#include <nextstat/upper_limit_toys.h>

#include <string>

namespace nextstat::cli {

// "0.058 ± 0.007"; "-" where there is no number.
std::string with_error(double value, double error);

std::string hypotest_toys_screen(const Model& model, const HypotestToysResult& result, bool expected_set);
std::string toys_screen(const Model& model, const ToysResult& result, const std::string& folder);

// Answers of toys for people: significance, goodness-of-fit, upper-limit, feldman-cousins.

std::string significance_toys_screen(const Model& model, const SignificanceToysResult& result);
std::string goodness_of_fit_toys_screen(const GoodnessOfFitToysResult& result);
std::string upper_limit_toys_screen(const Model& model, const UpperLimitToysResult& result);
std::string feldman_cousins_screen(const Model& model, const FeldmanCousinsResult& result);

// The state of a toy run for people.

// `shards` > 0 adds a line for each of that many shards.
std::string run_status_screen(const RunStatus& status, std::size_t shards);
std::string merge_screen(const MergeReport& report, const std::string& folder);

// 0 complete, 1 blocks are missing, 2 blocks are damaged or foreign.
int run_exit_code(const RunStatus& status);

}  // namespace nextstat::cli
