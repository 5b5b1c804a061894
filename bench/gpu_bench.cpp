// Measures a model on CUDA device 0: batched NLLs, toys drawn and fitted, one fit, a scan, the fits of a
// ranking. Every row must converge and be that of the CPU, to the bit. Prints one JSON object.
//
//   gpu_bench WORKSPACE [--rows N ...] [--rounds N] [--no-profile]
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>

#include "bench_model.h"
#include "cuda/cuda_driver.h"
#include "cuda/cuda_queue.h"
#include "gpu/gpu_session.h"
#include "infer/profile/profile.h"
#include "infer/setup/setup.h"
#include "minimize/curvature/make_metric.h"
#include "model/draw/draw_plan.h"
#include "timed_queue.h"

namespace nextstat::bench {
namespace {

using Json = nlohmann::json;

// The few rows that do not end with the shared metric go on on the host, whose time is added.
constexpr std::size_t kStepsToTheEnd = 400;

struct Device {
  std::shared_ptr<std::vector<LaunchRecord>> launches = std::make_shared<std::vector<LaunchRecord>>();
  std::unique_ptr<DeviceSession> session;
  std::string name;
  double start_seconds = 0;  // driver, context, kernels, model

  explicit Device(const Model& model) {
    const auto begin = std::chrono::steady_clock::now();
    auto driver = std::make_shared<const cuda::Driver>(cuda::open_driver().value());
    std::vector<std::unique_ptr<gpu::Queue>> queues;
    queues.push_back(std::make_unique<TimedQueue>(cuda::make_queue(driver, 0).value(), launches));
    name = queues.front()->traits().name;
    session = gpu::make_session(model, std::move(queues), {.threads = 0}).value();
    start_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
};

// Rounds of a question: time on the device (launch to end, per kernel) and of the whole call.
struct Rounds {
  std::vector<double> device, call;

  template <class Work>
  void add(Device& gpu, gpu::Kernel kernel, Work&& work) {
    gpu.launches->clear();
    const auto begin = std::chrono::steady_clock::now();
    work();
    call.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    double seconds = 0;
    for (const LaunchRecord& launch : *gpu.launches) {
      const bool belongs = kernel == gpu::Kernel::Draw && launch.kernel == gpu::Kernel::Constants;
      if (launch.kernel == kernel || belongs) seconds += launch.seconds;
    }
    device.push_back(seconds);
  }

  static Json spread(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return {{"median", values[values.size() / 2]}, {"min", values.front()}, {"max", values.back()}};
  }
  Json json() const {
    return {{"device_s", spread(device)}, {"call_s", spread(call)}, {"rounds", device.size()}};
  }
};

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

class Bench {
 public:
  Bench(const Model& model, std::size_t rounds)
      : model_(model),
        rounds_(rounds),
        gpu_(model),
        setup_(make_setup(model, {.starts = 1}).value()),
        start_(model.initial()) {
    low_ = setup_.bounds.low;
    high_ = setup_.bounds.high;
    for (std::size_t i = 0; i < start_.size(); ++i) {
      if (setup_.fixed[i]) low_[i] = high_[i] = start_[i];
    }
  }

  Json run(const std::vector<std::size_t>& rows, bool with_profile) {
    Json json = {{"device", gpu_.name}, {"start_s", gpu_.start_seconds}, {"parameters", start_.size()}};
    json["nll_1000"] = nll();
    for (const std::size_t count : rows) json["toys"].push_back(toys(count));
    if (!with_profile) return json;
    Setup on_gpu = make_setup(model_, {.starts = 1}).value();
    on_gpu.session.session = gpu_.session.get();
    const BestFit best = find_best_fit(setup_, true).value();
    const std::size_t poi = model_.poi_index().value();
    json["fit"] = fit(on_gpu);
    json["scan_21"] = profile(on_gpu, best, scan_points(poi));
    json["ranking"] = profile(on_gpu, best, ranking_points(best, poi));
    return json;
  }

 private:
  Json nll() {
    constexpr std::size_t kRows = 1000;
    std::mt19937_64 engine(7);
    std::vector<double> points;
    std::normal_distribution<double> normal;
    for (std::size_t row = 0; row < kRows; ++row) {
      for (const Parameter& parameter : model_.parameters())
        points.push_back(std::clamp(parameter.init + (parameter.init == 0 ? 1.0 : 0.1) * normal(engine),
                                    parameter.low, parameter.high));
    }
    Rounds values, gradients;
    EvalOutput alone, output;
    for (std::size_t round = 0; round <= rounds_; ++round) {
      EvalRequest request{.parameters = points, .rows = kRows};
      Rounds& both = round == 0 ? warm_ : values;
      both.add(gpu_, gpu::Kernel::Evaluate, [&] { alone = gpu_.session->evaluate(request).value(); });
      request.gradient = true;
      Rounds& with = round == 0 ? warm_ : gradients;
      with.add(gpu_, gpu::Kernel::Evaluate, [&] { output = gpu_.session->evaluate(request).value(); });
    }
    const EvalOutput expected =
        setup_.session->evaluate({.parameters = points, .rows = kRows, .gradient = true}).value();
    Json json = values.json();
    json["with_gradient"] = gradients.json();
    json["same_bits_as_cpu"] = same_bits(alone.nll, expected.nll) && same_bits(output.nll, expected.nll) &&
                               same_bits(output.gradient, expected.gradient);
    return json;
  }

  Json toys(std::size_t count) {
    const std::vector<double> expected =
        setup_.session->evaluate({.parameters = start_, .expected = true}).value().expected;
    const DrawPlan plan = make_draw_plan(compiled_model(model_), expected, {}, false).value();
    const Metric metric = make_metric(compiled_model(model_), start_, setup_.fixed);
    Rounds drawing, fitting;
    std::size_t on_host = 0;
    std::vector<double> host;
    std::vector<RowOutcome> outcomes;
    DrawnToys toys;
    for (std::size_t round = 0; round <= rounds_; ++round) {
      const ToyDraw draw{.plan = plan, .seed = 5, .hypothesis = 0, .first = 0, .count = count};
      (round == 0 ? warm_ : drawing).add(gpu_, gpu::Kernel::Draw, [&] {
        toys = gpu_.session->draw(draw).value();
      });
      (round == 0 ? warm_ : fitting).add(gpu_, gpu::Kernel::Minimize, [&] {
        outcomes = minimize(*gpu_.session, metric, toys.values, &toys, count);
      });
      on_host = count - static_cast<std::size_t>(
                            std::count_if(outcomes.begin(), outcomes.end(), [](const RowOutcome& outcome) {
                              return outcome.status == RowStatus::Converged;
                            }));
      host.push_back(finish(metric, toys.values, outcomes));
      if (round > 0) {
        fitting.device.back() += host.back();
        fitting.call.back() += host.back();
      }
    }
    const std::size_t checked = std::min<std::size_t>(count, 1000);
    const std::vector<double> first(
        toys.values.begin(),
        toys.values.begin() + static_cast<std::ptrdiff_t>(checked * model_.data().size()));
    std::vector<RowOutcome> cpu = minimize(*setup_.session, metric, first, nullptr, checked);
    finish(metric, first, cpu);
    std::size_t converged = 0, different = 0;
    double most = 0, sum = 0;
    for (const RowOutcome& outcome : outcomes) {
      converged += outcome.status == RowStatus::Converged;
      sum += static_cast<double>(outcome.evaluations);
      most = std::max(most, static_cast<double>(outcome.evaluations));
    }
    for (std::size_t i = 0; i < checked; ++i)
      different += !same_bits(outcomes[i].parameters, cpu[i].parameters) || outcomes[i].nll != cpu[i].nll;
    Json json = fitting.json();
    json.update({{"rows", count},
                 {"converged", converged},
                 {"rows_compared_with_cpu", checked},
                 {"rows_that_differ", different},
                 {"rows_ended_on_host", on_host},
                 {"host_s", Rounds::spread(host)},
                 {"sweeps_mean", sum / static_cast<double>(count)},
                 {"sweeps_most", most},
                 {"draw", drawing.json()}});
    return json;
  }

  std::vector<RowOutcome> minimize(DeviceSession& session, const Metric& metric, std::span<const double> data,
                                   DrawnToys* drawn, std::size_t count,
                                   std::size_t steps = kStepsWithSharedMetric) const {
    std::vector<MinimizeRow> rows;
    for (std::size_t t = 0; t < count; ++t) rows.push_back({t, 0, 0});
    const RowBounds bounds{low_, high_};
    MinimizeRequest request{.metric = metric};
    request.rows = rows;
    request.starts = start_;
    request.bounds = {&bounds, 1};
    request.data = data;
    request.drawn = drawn;
    request.convergence.steps_per_metric = steps;
    return session.minimize(request).value();
  }

  // Rows that want another metric, to their end on the host. Returns the time.
  double finish(const Metric& metric, std::span<const double> data, std::vector<RowOutcome>& outcomes) const {
    const auto begin = std::chrono::steady_clock::now();
    const std::size_t n_data = model_.data().size();
    std::vector<std::size_t> open;
    std::vector<double> their_data;
    for (std::size_t row = 0; row < outcomes.size(); ++row) {
      if (outcomes[row].status == RowStatus::Converged) continue;
      open.push_back(row);
      const auto first = data.begin() + static_cast<std::ptrdiff_t>(row * n_data);
      their_data.insert(their_data.end(), first, first + static_cast<std::ptrdiff_t>(n_data));
    }
    if (open.empty()) return 0;
    std::vector<RowOutcome> ended =
        minimize(*setup_.session, metric, their_data, nullptr, open.size(), kStepsToTheEnd);
    for (std::size_t k = 0; k < open.size(); ++k) outcomes[open[k]] = std::move(ended[k]);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

  // One free fit without its covariance; the metric is made on the host within the call.
  Json fit(Setup& on_gpu) {
    Rounds record;
    BestFit found;
    for (std::size_t round = 0; round <= rounds_; ++round) {
      (round == 0 ? warm_ : record).add(gpu_, gpu::Kernel::Minimize, [&] {
        found = find_best_fit(on_gpu, false).value();
      });
    }
    const Minimum cpu = find_best_fit(setup_, false).value().minimum;
    Json json = record.json();
    json.update({{"rows", 1},
                 {"converged", std::size_t{found.minimum.converged()}},
                 {"rows_that_differ", std::size_t{!same_bits(found.minimum.parameters, cpu.parameters)}}});
    return json;
  }

  // Fits with parameters held, as scans and rankings make them.
  Json profile(Setup& on_gpu, const BestFit& best, const std::vector<ProfilePoint>& points) {
    Rounds record;
    std::vector<Minimum> minima(points.size()), cpu(points.size());
    for (std::size_t round = 0; round <= rounds_; ++round) {
      (round == 0 ? warm_ : record).add(gpu_, gpu::Kernel::Minimize, [&] {
        fit_profile(on_gpu, best, points, {}, [&](std::size_t i, Minimum&& minimum) {
          minima[i] = std::move(minimum);
        }).value();
      });
    }
    fit_profile(setup_, best, points, {}, [&](std::size_t i, Minimum&& minimum) {
      cpu[i] = std::move(minimum);
    }).value();
    std::size_t converged = 0, different = 0;
    for (std::size_t i = 0; i < minima.size(); ++i) {
      converged += minima[i].converged();
      different += !same_bits(minima[i].parameters, cpu[i].parameters) || minima[i].nll != cpu[i].nll;
    }
    Json json = record.json();
    json.update({{"rows", points.size()}, {"converged", converged}, {"rows_that_differ", different}});
    return json;
  }

  static std::vector<ProfilePoint> scan_points(std::size_t poi) {
    std::vector<ProfilePoint> points;
    for (int i = 0; i < 21; ++i) points.push_back({.fixed = {{poi, 0.25 * i}}});
    return points;
  }

  // Every free parameter one sigma up and down.
  std::vector<ProfilePoint> ranking_points(const BestFit& best, std::size_t poi) const {
    std::vector<ProfilePoint> points;
    for (std::size_t i = 0; i < start_.size(); ++i) {
      const double sigma = postfit_sigma(best, i);
      if (setup_.fixed[i] || i == poi || !(sigma > 0)) continue;
      for (const double side : {-1.0, 1.0})
        points.push_back(
            {.fixed = {{i, std::clamp(best.minimum.parameters[i] + side * sigma, low_[i], high_[i])}}});
    }
    return points;
  }

  const Model& model_;
  std::size_t rounds_;
  Device gpu_;
  Setup setup_;
  std::vector<double> start_, low_, high_;
  Rounds warm_;  // first rounds, which are not counted
};

int run(int argc, char** argv) {
  CLI::App app("Measures a model on CUDA device 0");
  std::string workspace;
  std::vector<std::size_t> rows = {1000, 10000, 100000};
  std::size_t rounds = 7;
  bool no_profile = false;
  app.add_option("workspace", workspace)->required();
  app.add_option("--rows", rows);
  app.add_option("--rounds", rounds);
  app.add_flag("--no-profile", no_profile, "Leave fit, scan and ranking out");
  CLI11_PARSE(app, argc, argv);
  const Result<BenchModel> loaded = BenchModel::load(workspace);
  if (!loaded) {
    fmt::print(stderr, "gpu_bench: {}\n", loaded.errors().front().what);
    return 2;
  }
  fmt::print("{}\n", Bench(loaded->model, rounds).run(rows, !no_profile).dump());
  return 0;
}

}  // namespace
}  // namespace nextstat::bench

int main(int argc, char** argv) {
  try {
    return nextstat::bench::run(argc, argv);
  } catch (const std::exception& failure) {
    fmt::print(stderr, "gpu_bench: {}\n", failure.what());
    return 3;
  }
}
