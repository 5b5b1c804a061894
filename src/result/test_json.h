// JSON of the questions about signal strengths:
// hypotest, cls, upper-limit, significance, goodness-of-fit, mass-scan.
#pragma once

#include <nextstat/goodness_of_fit.h>
#include <nextstat/hypotest.h>
#include <nextstat/mass_scan.h>
#include <nextstat/significance.h>
#include <nextstat/upper_limit.h>

#include <nlohmann/json.hpp>

namespace nextstat {

nlohmann::json hypotest_json(const Model& model, const HypotestResult& result);
// pyhf's keys: CLs_obs and CLs_exp.
nlohmann::json cls_json(const Model& model, const HypotestResult& result);
nlohmann::json upper_limit_json(const Model& model, const UpperLimitResult& result);
nlohmann::json significance_json(const Model& model, const SignificanceResult& result);
nlohmann::json goodness_of_fit_json(const Model& model, const GoodnessOfFitResult& result);
nlohmann::json mass_scan_json(const MassScanResult& result, const Voice& voice);

}  // namespace nextstat
