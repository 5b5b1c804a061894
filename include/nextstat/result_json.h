// Results as JSON, as the command line prints them: one function per result (docs/schemas). Numbers that do
// not exist are null, never NaN.
//
//   Result<FitResult> result = fit(model);
//   nlohmann::json json = fit_json(model, *result);
//   add_header(json, {.schema = "nextstat/fit/1", .device = result->device});
//
// Needs nlohmann-json.
#pragma once

#include <nextstat/backends.h>
#include <nextstat/evaluate.h>
#include <nextstat/feldman_cousins.h>
#include <nextstat/fit.h>
#include <nextstat/goodness_of_fit.h>
#include <nextstat/goodness_of_fit_toys.h>
#include <nextstat/hypotest.h>
#include <nextstat/hypotest_toys.h>
#include <nextstat/interval.h>
#include <nextstat/mass_scan.h>
#include <nextstat/minima.h>
#include <nextstat/model.h>
#include <nextstat/ranking.h>
#include <nextstat/scan.h>
#include <nextstat/significance.h>
#include <nextstat/significance_toys.h>
#include <nextstat/toy_folder.h>
#include <nextstat/toys.h>
#include <nextstat/upper_limit.h>
#include <nextstat/upper_limit_toys.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>

#pragma GCC visibility push(default)
namespace nextstat {

// What every result carries.
struct ResultHeader {
  std::string schema;                 // "nextstat/evaluate/1"
  std::string workspace_digest = "";  // sha256; "" = there is no workspace, or none that could be read
  DeviceUse device = {};
  double wall_time_s = 0;
  std::optional<double> load_time_s = {};  // from file to ready model; only where times are wanted
};
void add_header(nlohmann::json& json, const ResultHeader& header);

// Numbers, with null for those that do not exist.
nlohmann::json json_number(double value);
nlohmann::json json_numbers(std::span<const double> values);

// Channels, samples, modifiers, parameters, measurements.
nlohmann::json inspect_json(const Workspace& workspace, const Model& model);

// One object for one row, {"rows": [...]} for many.
nlohmann::json evaluation_json(const Model& model, const Evaluation& evaluation, bool many_rows);

// Matrices of more parameters than this are left out of the text unless they are wanted:
// the text of 5,000 x 5,000 numbers takes half a gigabyte.
constexpr std::size_t kMostParametersInText = 1000;
nlohmann::json fit_json(const Model& model, const FitResult& result, bool large_matrices = false);
// The same without covariance and correlation, for those who take these as arrays.
nlohmann::json fit_json_without_matrices(const Model& model, const FitResult& result);

// Of questions about the profile likelihood.
nlohmann::json scan_json(const Model& model, const ScanResult& result);
nlohmann::json interval_json(const Model& model, const IntervalResult& result);
nlohmann::json ranking_json(const Model& model, const RankingResult& result);

// Of a test.
nlohmann::json hypotest_json(const Model& model, const HypotestResult& result);
// pyhf's keys: CLs_obs and CLs_exp.
nlohmann::json cls_json(const Model& model, const HypotestResult& result);

// Of limits, discovery and goodness of fit.
nlohmann::json upper_limit_json(const Model& model, const UpperLimitResult& result);
nlohmann::json significance_json(const Model& model, const SignificanceResult& result);
nlohmann::json goodness_of_fit_json(const Model& model, const GoodnessOfFitResult& result);
// `voice`: how fields are named in the errors of points.
nlohmann::json mass_scan_json(const MassScanResult& result, const Voice& voice = cpp_voice());

// Of the same questions with toys. "expected_set" only where it was computed.
nlohmann::json hypotest_toys_json(const Model& model, const HypotestToysResult& result, bool expected_set);
nlohmann::json significance_toys_json(const Model& model, const SignificanceToysResult& result);
nlohmann::json goodness_of_fit_toys_json(const Model& model, const GoodnessOfFitToysResult& result);
nlohmann::json upper_limit_toys_json(const Model& model, const UpperLimitToysResult& result);
nlohmann::json feldman_cousins_json(const Model& model, const FeldmanCousinsResult& result);

// Of a run of toys, without the toys.
nlohmann::json toys_json(const Model& model, const ToysResult& result);
// [{id, nll, mu_hat, converged, n_iter}] of toys 0, 1, ..., with the parameters that were kept.
// records: [toy][column].
nlohmann::json toy_records_json(const ToysResult& result, std::span<const double> records);

// `shards` > 0 adds the state of each of that many shards.
nlohmann::json toys_status_json(const RunStatus& status, std::size_t shards = 0);
nlohmann::json merge_json(const MergeReport& report, const Voice& voice = cpp_voice());

// {batched_nll, batched_gradient, batched_fits, max_batch_size, autodiff, f64}.
nlohmann::json capabilities_json(const Capabilities& can);
// One device of discover_backends().
nlohmann::json device_json(const DeviceInfo& device);
// {type, name, available, devices, error}; error is null, or {stage, reason, hint}.
nlohmann::json backend_json(const BackendReport& report, const Voice& voice = cpp_voice());
// {stage, reason, hint}.
nlohmann::json absent_json(const Absent& absent, const Voice& voice = cpp_voice());

}  // namespace nextstat
#pragma GCC visibility pop
