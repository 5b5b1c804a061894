// Results of toys as JSON: hypotest-toys and toys run.
#pragma once

#include <nextstat/hypotest_toys.h>
#include <nextstat/toys.h>

#include <nlohmann/json.hpp>

namespace nextstat {

// "expected_set" only where it was asked for.
nlohmann::json hypotest_toys_json(const Model& model, const HypotestToysResult& result, bool expected_set);

nlohmann::json toys_json(const Model& model, const ToysResult& result);
// [{id, nll, mu_hat, converged, n_iter}] of toys 0, 1, ..., with the parameters that were to be kept.
// records: [toy][column].
nlohmann::json toy_records_json(const ToysResult& result, std::span<const double> records);

}  // namespace nextstat
