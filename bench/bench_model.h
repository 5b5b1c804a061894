// A model ready to be measured: from the file to a session on one thread, with random points to evaluate.
//
//   Result<BenchModel> loaded = BenchModel::load("thu.json");
//   loaded->session->nll(loaded->random_points(1, engine).data());
#pragma once

#include <nextstat/model.h>
#include <nextstat/workspace.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "cpu/cpu_session.h"
#include "cpu/instruction_set.h"

namespace nextstat::bench {

struct BenchModel {
  Model model;
  std::unique_ptr<CpuSession> session;

  static Result<BenchModel> load(const std::string& path) {
    Result<Model> model = load_model(path);
    if (!model) return model.errors();
    const Result<const cpu::Kernels*> kernels = cpu::choose_kernels("");
    if (!kernels) return kernels.errors();
    auto session = std::make_unique<CpuSession>(*model, **kernels, CpuOptions{.threads = 1});
    return BenchModel{*std::move(model), std::move(session)};
  }

  // [point][parameter]: initial values moved by N(0,1) where they are 0 (shape parameters) and by 0.1 N(0,1)
  // elsewhere, within bounds. The same rule as random_point in bench/child.py.
  std::vector<double> random_points(std::size_t count, std::mt19937_64& engine) const {
    std::normal_distribution<double> normal;
    std::vector<double> points;
    points.reserve(count * model.n_parameters());
    for (std::size_t point = 0; point < count; ++point) {
      for (const Parameter& parameter : model.parameters()) {
        const double moved = parameter.init + (parameter.init == 0 ? 1.0 : 0.1) * normal(engine);
        points.push_back(std::clamp(moved, parameter.low, parameter.high));
      }
    }
    return points;
  }
};

}  // namespace nextstat::bench
