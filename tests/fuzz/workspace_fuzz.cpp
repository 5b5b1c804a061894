// Any bytes as a workspace: faults with words, or a model whose likelihood has the same bits on every path.
#include <nextstat/evaluate.h>
#include <nextstat/model.h>
#include <nextstat/workspace.h>

#include <cmath>
#include <cstdint>
#include <string_view>

#include "cpu/cpu_session.h"
#include "fuzz/json_mutator.h"
#include "fuzz/require.h"
#include "same_bits.h"

namespace nextstat {
namespace {

using test::same_bits;

void check_structure(const Model& model) {
  require(model.n_parameters() > 0, "a model has parameters");
  for (const double datum : model.data()) require(std::isfinite(datum), "data are finite");
  for (const Parameter& parameter : model.parameters()) {
    require(std::isfinite(parameter.init), "initial values are finite");
    require(parameter.low <= parameter.high, "bounds are ordered");
    require(parameter.constraint == Constraint::None || parameter.width > 0, "constraints have a width");
  }
}

// One row alone, then the same row as each of a batch.
void check_likelihood(const Model& model) {
  const std::vector<double> point = model.initial();
  Result<std::unique_ptr<DeviceSession>> session = make_cpu_session(model);
  require(static_cast<bool>(session), "there is a CPU");
  const auto one = (*session)->evaluate({.parameters = point, .gradient = true, .expected = true});
  require(static_cast<bool>(one), "the initial point can be evaluated");
  require(!std::isnan(one->nll[0]), "the NLL is a number or +infinity");
  require(one->nll[0] > -INFINITY, "the NLL is not -infinity");

  constexpr std::size_t kRows = 5;
  std::vector<double> points;
  for (std::size_t row = 0; row < kRows; ++row) points.insert(points.end(), point.begin(), point.end());
  const auto many =
      (*session)->evaluate({.parameters = points, .rows = kRows, .gradient = true, .expected = true});
  require(static_cast<bool>(many), "a batch can be evaluated");
  for (std::size_t row = 0; row < kRows; ++row) {
    const auto part = [&](const std::vector<double>& all, std::size_t size) {
      return std::span(all).subspan(row * size, size);
    };
    require(same_bits(part(many->nll, 1), one->nll), "NLL: same bits in a batch");
    require(same_bits(part(many->gradient, point.size()), one->gradient), "gradient: same bits in a batch");
    require(same_bits(part(many->expected, model.data().size()), one->expected),
            "expected: same bits in a batch");
  }
}

void check_hessian(const Model& model) {
  constexpr std::size_t kMostParameters = 50;
  const std::size_t size = model.n_parameters();
  if (size > kMostParameters) return;
  const Result<Evaluation> evaluation = evaluate(model, model.initial(), {.hessian = true});
  require(evaluation && evaluation->hessian.size() == size * size, "a small model has a Hessian");
  for (std::size_t i = 0; i < size * size; ++i) {
    const double here = evaluation->hessian[i], there = evaluation->hessian[i % size * size + i / size];
    require(here == there || (std::isnan(here) && std::isnan(there)), "a Hessian is symmetric");
  }
}

void check(const Workspace& workspace) {
  constexpr std::size_t kMostMeasurements = 3;
  for (std::size_t m = 0; m < std::min(workspace.measurements.size(), kMostMeasurements); ++m) {
    ModelOptions options;
    options.measurement_index = m;
    if (m % 2 == 1) {
      options.normsys_code = NormsysCode::Code1;
      options.histosys_code = HistosysCode::Code0;
    }
    const Result<Model> model = build_model(workspace, options);
    if (!model) continue;  // one of several measurements may be unusable
    check_structure(*model);
    check_likelihood(*model);
    check_hessian(*model);
  }
}

}  // namespace
}  // namespace nextstat

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nextstat;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Limits limits;
  limits.parameters = 2000;
  limits.free_bin_factors = 20'000;
  const Result<Workspace> workspace = parse_workspace(text, limits);
  if (workspace) {
    check(*workspace);
  } else {
    check_errors(workspace.errors());
  }
  return 0;
}
