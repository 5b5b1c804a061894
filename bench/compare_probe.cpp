// Our side of bench/compare*.py: answers commands on standard input with one line of JSON each. The commands
// are those of bench/child.py, and
//
//   batch N
//       N times in seconds per row, each of one batch of 1000 new random points with gradient
//   toys COUNT THREADS [INSTRUCTION_SET]
//       {"seconds", "failed", "iterations"}: toys at the initial point, fitted
//   hypotest_toys COUNT THREADS
//       {"seconds", "cls", "failed"}: of mu = 1 with COUNT + COUNT toys
#include <nextstat/fit.h>
#include <nextstat/hypotest_toys.h>
#include <nextstat/ranking.h>
#include <nextstat/scan.h>
#include <nextstat/toys.h>
#include <nextstat/version.h>

#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <stdexcept>

#include "bench_model.h"

namespace nextstat::bench {
namespace {

constexpr std::size_t kBatchRows = 1000;

template <class Call>
double seconds_of(Call&& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

class Probe {
 public:
  nlohmann::json answer(const std::string& verb, const std::string& argument) {
    if (verb == "about") return about();
    if (verb == "load") return load(argument);
    if (!loaded_) throw std::runtime_error("'" + verb + "' before 'load'");
    if (verb == "value") return loaded_->session->nll(loaded_->model.initial().data());
    if (verb == "nll") return time_nll(std::stoul(argument));
    if (verb == "grad") return time_gradient(std::stoul(argument));
    if (verb == "batch") return time_batches(std::stoul(argument));
    if (verb == "fit") return time_fits(std::stoul(argument));
    if (verb == "scan") return time_scans(std::stoul(argument));
    if (verb == "toys") return time_toys(argument);
    if (verb == "hypotest_toys") return time_hypotest_toys(argument);
    if (verb == "ranking") return time_rankings(std::stoul(argument));
    throw std::runtime_error("unknown command '" + verb + "'");
  }

 private:
  static nlohmann::json about() {
    return {{"engine", "ours"},
            {"nextstat", version_string()},
            {"compiler", compiler_string()},
            {"build", build_type()},
            {"instruction_set", instruction_set_name()}};
  }

  double load(const std::string& path) {
    loaded_.reset();
    return seconds_of([&] {
      Result<BenchModel> result = BenchModel::load(path);
      if (!result) throw std::runtime_error(result.errors().front().what);
      loaded_ = *std::move(result);
    });
  }

  std::vector<double> time_nll(std::size_t calls) {
    const std::vector<double> points = loaded_->random_points(calls, engine_);
    return time_each(calls, [&](std::size_t call) {
      sum_ = sum_ + loaded_->session->nll(points.data() + call * loaded_->model.n_parameters());
    });
  }

  std::vector<double> time_gradient(std::size_t calls) {
    const std::vector<double> points = loaded_->random_points(calls, engine_);
    const std::size_t parameters = loaded_->model.n_parameters();
    std::vector<double> gradient(parameters);
    return time_each(calls, [&](std::size_t call) {
      sum_ = sum_ + loaded_->session->nll_and_gradient(points.data() + call * parameters, gradient.data());
    });
  }

  std::vector<double> time_batches(std::size_t batches) {
    std::vector<double> times;
    for (std::size_t batch = 0; batch < batches; ++batch) {
      const std::vector<double> points = loaded_->random_points(kBatchRows, engine_);
      const double seconds = seconds_of([&] {
        const auto output =
            loaded_->session->evaluate({.parameters = points, .rows = kBatchRows, .gradient = true});
        sum_ = sum_ + output->nll.back() + output->gradient.back();
      });
      times.push_back(seconds / kBatchRows);
    }
    return times;
  }

  nlohmann::json time_fits(std::size_t fits) {
    FitOptions options;
    options.run.threads = 1;
    options.run.starts = 1;  // the same work as the others'
    std::optional<FitResult> last;
    nlohmann::json json = {
        {"times", time_each(fits, [&](std::size_t) { last = checked(fit(loaded_->model, options)); })}};
    const std::size_t poi = loaded_->model.poi_index().value();
    json.update({{"nll", last->nll},
                 {"iterations", last->iterations},
                 {"converged", last->converged},
                 {"poi", last->bestfit[poi]},
                 {"sigma", last->uncertainties[poi]}});
    return json;
  }

  nlohmann::json time_scans(std::size_t scans) {
    ScanOptions options;
    options.run.threads = 1;
    options.run.starts = 1;  // the same work as the others'
    options.values = even_spacing(0, 5, 21);
    std::optional<ScanResult> last;
    nlohmann::json json = {
        {"times", time_each(scans, [&](std::size_t) { last = checked(scan(loaded_->model, options)); })}};
    std::vector<double> points;
    for (const ScanPoint& point : last->points) points.push_back(point.nll_mu);
    json.update({{"nll", last->nll_hat},
                 {"points", points},
                 {"iterations", last->iterations},
                 {"converged", last->converged}});
    return json;
  }

  nlohmann::json time_rankings(std::size_t rankings) {
    RankingOptions options;
    options.run.threads = 1;
    options.run.starts = 1;  // the same work as the others'
    std::optional<RankingResult> last;
    nlohmann::json json = {{"times", time_each(rankings, [&](std::size_t) {
                              last = checked(ranking(loaded_->model, options));
                            })}};
    nlohmann::json entries = nlohmann::json::object();
    for (const RankingEntry& entry : last->entries)
      entries[loaded_->model.parameters()[entry.parameter].name] = {entry.impact_up, entry.impact_down};
    json.update({{"entries", entries},
                 {"nll", last->nll_hat},
                 {"iterations", last->iterations},
                 {"converged", last->converged}});
    return json;
  }

  nlohmann::json time_toys(const std::string& argument) {
    ToysOptions options;
    options.run.starts = 1;
    std::istringstream(argument) >> options.toys.n_toys >> options.run.threads >> options.run.instruction_set;
    options.truth = loaded_->model.initial();
    options.toys.seed = ++seed_;
    std::optional<ToysResult> result;
    const double seconds = seconds_of([&] { result = checked(toys(loaded_->model, options)); });
    return {{"seconds", seconds},
            {"failed", result->n_error + result->n_nonconverged},
            {"iterations", result->mean_iterations}};
  }

  nlohmann::json time_hypotest_toys(const std::string& argument) {
    HypotestToysOptions options;
    options.run.starts = 1;
    std::istringstream(argument) >> options.toys.n_toys >> options.run.threads;
    options.toys.seed = ++seed_;
    std::optional<HypotestToysResult> result;
    const double seconds = seconds_of([&] { result = checked(hypotest_toys(loaded_->model, options)); });
    return {{"seconds", seconds},
            {"cls", result->observed.cls},
            {"cls_error", result->observed.cls_error},
            {"failed", result->n_error.tested + result->n_error.alternative + result->n_nonconverged.tested +
                           result->n_nonconverged.alternative}};
  }

  template <class T>
  static T checked(Result<T> result) {
    if (!result) throw std::runtime_error(result.errors().front().what);
    return *std::move(result);
  }

  template <class Call>
  static std::vector<double> time_each(std::size_t calls, Call&& call) {
    std::vector<double> times(calls);
    for (std::size_t i = 0; i < calls; ++i) times[i] = seconds_of([&] { call(i); });
    return times;
  }

  std::optional<BenchModel> loaded_;
  std::mt19937_64 engine_{20240521};
  std::uint64_t seed_ = 0;
  volatile double sum_ = 0;  // every value is used, so none can be optimized away
};

int serve() {
  Probe probe;
  std::string line;
  while (std::getline(std::cin, line)) {
    const std::size_t space = line.find(' ');
    const std::string argument = space == std::string::npos ? "" : line.substr(space + 1);
    std::cout << probe.answer(line.substr(0, space), argument) << std::endl;
  }
  return 0;
}

}  // namespace
}  // namespace nextstat::bench

int main() {
  try {
    return nextstat::bench::serve();
  } catch (const std::exception& error) {
    std::cerr << "compare_probe: " << error.what() << '\n';
    return 1;
  }
}
