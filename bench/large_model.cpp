// A fit with uncertainties of a generated model of any size: times and peak memory as one line of JSON.
//
//   build/release/bin/large_model                                   50 channels x 200 bins, 5,101 parameters
//   build/release/bin/large_model --bins 50 --staterror-channels 0  other sizes
//   build/release/bin/large_model --write model.json                only write the workspace
#include <nextstat/fit.h>
#include <nextstat/version.h>
#include <nextstat/workspace.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "bench/generated_workspace.h"

namespace nextstat::bench {
namespace {

struct Request {
  cli::GeneratedShape shape = {
      .channels = 50, .bins = 200, .samples = 10, .normsys = 100, .histosys = 50, .staterror_channels = 18};
  std::size_t threads = 0, repeats = 1;
  bool uncertainties = true;
  std::string write;
};

template <class T>
T checked(Result<T> result) {
  if (!result) throw std::runtime_error(result.errors().front().what);
  return *std::move(result);
}

template <class Call>
double seconds_of(Call&& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Peak resident memory of this process. (The rusage of a process begins with that of its parent.)
std::size_t peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::size_t kilobytes = 0;
    if (word == "VmHWM:" && status >> kilobytes) return kilobytes * 1024;
  }
  throw std::runtime_error("/proc/self/status does not tell the peak memory");
}

Model make_model(const cli::GeneratedShape& shape, nlohmann::json& json) {
  std::string text;
  json["generate_s"] = seconds_of([&] { text = cli::generated_workspace(shape); });
  json["workspace_bytes"] = text.size();
  std::optional<Model> model;
  json["load_s"] = seconds_of([&] { model = checked(parse_model(text)); });
  json["peak_bytes_loaded"] = peak_bytes();
  return *std::move(model);
}

nlohmann::json measure(const Request& request) {
  nlohmann::json json = {{"nextstat", version_string()}, {"instruction_set", instruction_set_name()}};
  const Model model = make_model(request.shape, json);
  FitOptions options;
  options.run.threads = request.threads;
  options.run.starts = 1;
  options.uncertainties = request.uncertainties;
  std::vector<double> times;
  std::optional<FitResult> result;
  for (std::size_t i = 0; i < request.repeats; ++i)
    times.push_back(seconds_of([&] { result = checked(fit(model, options)); }));
  json.update({{"channels", request.shape.channels},
               {"bins", model.n_bins()},
               {"samples", request.shape.samples},
               {"parameters", model.n_parameters()},
               {"threads", request.threads},
               {"fit_s", times},
               {"peak_bytes", peak_bytes()},
               {"converged", result->converged},
               {"iterations", result->iterations},
               {"nll", result->nll},
               {"mu", result->bestfit[model.poi_index().value()]},
               {"warnings", result->warnings}});
  if (request.uncertainties) json["sigma_mu"] = result->uncertainties[model.poi_index().value()];
  return json;
}

int run(int argc, char** argv) {
  Request request;
  CLI::App app{"Fits a generated model and prints times and peak memory"};
  app.add_option("--channels", request.shape.channels)->capture_default_str();
  app.add_option("--bins", request.shape.bins, "of each channel")->capture_default_str();
  app.add_option("--samples", request.shape.samples)->capture_default_str();
  app.add_option("--normsys", request.shape.normsys, "of each sample")->capture_default_str();
  app.add_option("--histosys", request.shape.histosys, "of each sample")->capture_default_str();
  app.add_option("--staterror-channels", request.shape.staterror_channels)->capture_default_str();
  app.add_option("--threads", request.threads, "0 = all")->capture_default_str();
  app.add_option("--repeats", request.repeats, "fits")->check(CLI::PositiveNumber)->capture_default_str();
  app.add_flag("!--no-uncertainties", request.uncertainties, "The minimum alone");
  app.add_option("--write", request.write, "Write the workspace to this file, and do nothing else");
  CLI11_PARSE(app, argc, argv);
  if (!request.write.empty()) {
    std::ofstream file(request.write);
    return (file << cli::generated_workspace(request.shape)).flush() ? 0 : 1;
  }
  const nlohmann::json measured = measure(request);
  std::cout << measured << std::endl;
  return measured["converged"] ? 0 : 1;
}

}  // namespace
}  // namespace nextstat::bench

int main(int argc, char** argv) {
  try {
    return nextstat::bench::run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "large_model: " << error.what() << '\n';
    return 2;
  }
}
