// Micro-benchmarks of the library alone, on examples/simple.json, and on thu and tttt
// if NEXTSTAT_DATA names a folder.
//
//   build/release/bin/micro_bench --benchmark_filter=thu
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "bench_model.h"
#include "model/derivatives/derivatives.h"

namespace nextstat::bench {
namespace {

constexpr std::size_t kPoints = 1024;  // different points, taken in turn
constexpr std::size_t kBatchRows = 1000;

// Gives a benchmark its model; a file that does not load is an error of that benchmark.
struct Case {
  explicit Case(benchmark::State& state, const std::string& path) : loaded(BenchModel::load(path)) {
    if (!loaded) {
      state.SkipWithError(loaded.errors().front().what.c_str());
      return;
    }
    std::mt19937_64 engine(20240521);
    points = loaded->random_points(kPoints, engine);
  }
  const double* next() {
    const double* point = points.data() + (turn % kPoints) * loaded->model.n_parameters();
    ++turn;
    return point;
  }
  Result<BenchModel> loaded;
  std::vector<double> points;
  std::size_t turn = 0;
};

void nll(benchmark::State& state, const std::string& path) {
  Case bench(state, path);
  for (auto _ : state) benchmark::DoNotOptimize(bench.loaded->session->nll(bench.next()));
}

void nll_and_gradient(benchmark::State& state, const std::string& path) {
  Case bench(state, path);
  std::vector<double> gradient(bench.loaded ? bench.loaded->model.n_parameters() : 0);
  for (auto _ : state) {
    benchmark::DoNotOptimize(bench.loaded->session->nll_and_gradient(bench.next(), gradient.data()));
    benchmark::ClobberMemory();
  }
}

// 1000 rows with gradient; items per second are rows.
void batch(benchmark::State& state, const std::string& path) {
  Case bench(state, path);
  if (!bench.loaded) return;
  const std::span<const double> rows(bench.points.data(), kBatchRows * bench.loaded->model.n_parameters());
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        bench.loaded->session->evaluate({.parameters = rows, .rows = kBatchRows, .gradient = true}));
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * kBatchRows));
}

void exact_hessian(benchmark::State& state, const std::string& path) {
  Case bench(state, path);
  if (!bench.loaded) return;
  const CompiledModel& compiled = compiled_model(bench.loaded->model);
  const Dataset data = make_dataset(compiled, bench.loaded->model.data());
  for (auto _ : state) {
    benchmark::DoNotOptimize(hessian(compiled, data, {bench.next(), bench.loaded->model.n_parameters()}));
  }
}

void load(benchmark::State& state, const std::string& path) {
  for (auto _ : state) benchmark::DoNotOptimize(BenchModel::load(path));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) *
                          static_cast<std::int64_t>(std::filesystem::file_size(path)));
}

void register_workspace(const std::string& name, const std::string& path) {
  if (!std::filesystem::exists(path)) {
    std::cerr << "micro_bench: no " << path << ", left out\n";
    return;
  }
  const auto add = [&](const char* what, void (*run)(benchmark::State&, const std::string&)) {
    benchmark::RegisterBenchmark((name + "/" + what).c_str(), run, path);
  };
  add("nll", nll);
  add("nll_and_gradient", nll_and_gradient);
  add("batch_1000", batch);
  add("hessian", exact_hessian);
  add("load", load);
}

}  // namespace
}  // namespace nextstat::bench

int main(int count, char** arguments) {
  using nextstat::bench::register_workspace;
  register_workspace("simple", NEXTSTAT_EXAMPLES "/simple.json");
  if (const char* data = std::getenv("NEXTSTAT_DATA")) {
    for (const char* name : {"thu", "tttt"})
      register_workspace(name, std::string(data) + "/" + name + ".json");
  }
  benchmark::Initialize(&count, arguments);
  if (benchmark::ReportUnrecognizedArguments(count, arguments)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
