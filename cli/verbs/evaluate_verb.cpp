#include <fmt/format.h>
#include <nextstat/evaluate.h>
#include <nextstat/observations.h>
#include <nextstat/result_json.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>

#include "input/device_input.h"
#include "input/model_input.h"
#include "input/parameters_input.h"
#include "input/run_input.h"
#include "input/values.h"
#include "screen/table.h"
#include "screen/test_screen.h"
#include "verbs/verb.h"
#include "verbs/verb_list.h"

namespace nextstat::cli {
namespace {

std::string precise(double value) { return std::isfinite(value) ? fmt::format("{:.10f}", value) : "-"; }

std::string rows_table(const Evaluation& evaluation) {
  Table table({{"row", Align::Right}, {"NLL", Align::Right}, {"2 NLL", Align::Right}});
  for (std::size_t row = 0; row < evaluation.nll.size(); ++row) {
    table.row({fmt::format("{}", row), precise(evaluation.nll[row]), precise(2 * evaluation.nll[row])});
  }
  return table.text();
}

// The largest derivatives of the first row.
std::string gradient_table(const Model& model, const Evaluation& evaluation) {
  std::vector<std::size_t> order(model.n_parameters());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(evaluation.gradient[a]) > std::abs(evaluation.gradient[b]);
  });
  constexpr std::size_t kShown = 15;
  Table table({{"parameter", Align::Left}, {"d NLL", Align::Right}});
  for (std::size_t i = 0; i < std::min(kShown, order.size()); ++i)
    table.row({model.parameters()[order[i]].name, short_number(evaluation.gradient[order[i]])});
  std::string text = "\n" + table.text();
  if (order.size() > kShown) text += fmt::format("({} smaller ones: --format json)\n", order.size() - kShown);
  return text;
}

std::string expected_table(const Model& model, const Evaluation& evaluation,
                           std::span<const double> observed) {
  Table table({{"channel", Align::Left},
               {"bin", Align::Right},
               {"expected", Align::Right},
               {"observed", Align::Right}});
  for (const ChannelInfo& channel : model.channels()) {
    for (std::size_t bin = 0; bin < channel.bins; ++bin) {
      table.row({channel.name, fmt::format("{}", bin),
                 short_number(evaluation.expected[channel.first_bin + bin]),
                 short_number(observed[channel.first_bin + bin])});
    }
  }
  return "\n" + table.text();
}

class EvaluateVerb final : public Verb {
 public:
  void declare(CLI::App& command) override {
    input_.declare(command);
    command
        .add_option("--parameters", parameters_,
                    "Parameter values: init (default), NAME=VALUE ..., or a JSON file with {name: value} or "
                    "a list of such objects (one row each)")
        ->type_name("FILE|init|NAME=VALUE");
    command.add_flag("--gradient", options_.gradient, "Also d NLL / d parameter");
    command.add_flag("--hessian", options_.hessian, "Also the matrix of second derivatives");
    command.add_flag("--expected", options_.expected, "Also the expected data");
    command
        .add_option(
            "--data", data_,
            "Observations instead of the workspace's: {channel: [counts]} or a list as in a workspace")
        ->type_name("FILE");
    command.add_option("--threads", options_.threads, threads_help(options_.threads))
        ->transform(whole_number(0, kMostThreads))
        ->type_name("N");
    command.add_option("--instruction-set", options_.instruction_set, instruction_set_help())
        ->type_name("NAME");
    device_.declare(command);
    command.footer("Example: nextstat evaluate workspace.json --parameters mu=1.5 --gradient");
  }

  int run(Console& console) override {
    if (const Errors misread = misread_arguments(); !misread.empty()) return console.fail(misread);
    if (const Errors errors = device_.check(); !errors.empty()) return console.fail(errors);
    RunOptions where;
    device_.apply(where);
    options_.device = where.device;
    options_.fallback = where.fallback;
    options_.device_memory = where.device_memory;
    const Result<LoadedModel> loaded = input_.load();
    if (!loaded) return console.fail(loaded.errors());
    const Model& model = loaded->model;
    const Result<ParameterRows> rows = read_parameter_rows(model, parameters_);
    if (!rows) return console.fail(rows.errors());
    std::vector<double> data;
    if (!data_.empty()) {
      Result<std::vector<double>> read = read_observations(model, data_);
      if (!read) return console.fail(read.errors());
      data = std::move(*read);
      options_.data = data;
    }
    const auto start = std::chrono::steady_clock::now();
    const Result<Evaluation> evaluation = evaluate(model, rows->values, options_);
    if (!evaluation) return console.fail(evaluation.errors());
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    nlohmann::json json = evaluation_json(model, *evaluation, rows->many);
    warn_about_fallback(console, evaluation->device, json);
    add_header(json, {.schema = "nextstat/evaluate/1",
                      .workspace_digest = console.writes_json() ? loaded->digest() : "",
                      .device = evaluation->device,
                      .wall_time_s = seconds,
                      .load_time_s = loaded->load_time_s});
    return console.result(
        json, table(model, *evaluation, options_.data.empty() ? model.data() : options_.data, json));
  }

 private:
  // Standard input holds one document, and --parameters takes every word that follows it.
  Errors misread_arguments() const {
    if (!input_.workspace_given() && parameters_.size() > 1 &&
        parameters_.back().find('=') == std::string::npos) {
      return {{ErrorCode::BadUsage, "--parameters",
               "\"" + parameters_.back() + "\" was read as a value, so no workspace is given",
               "put the workspace before --parameters"}};
    }
    std::vector<std::string> documents = {input_.path(), data_};
    documents.insert(documents.end(), parameters_.begin(), parameters_.end());
    return one_from_standard_input(documents);
  }

  static std::string table(const Model& model, const Evaluation& evaluation, std::span<const double> observed,
                           const nlohmann::json& json) {
    std::string text = rows_table(evaluation);
    const bool more = !evaluation.gradient.empty() || !evaluation.expected.empty();
    if (more && evaluation.nll.size() > 1)
      text += "\nRow 0 follows; the others are in the JSON (--format json).\n";
    if (!evaluation.gradient.empty() && std::isfinite(evaluation.nll[0]))
      text += gradient_table(model, evaluation);
    if (!evaluation.expected.empty()) text += expected_table(model, evaluation, observed);
    if (!evaluation.hessian.empty()) text += "\n(the Hessian is in the JSON: --format json)\n";
    return text + warning_lines(json["warnings"].get<std::vector<std::string>>());
  }

  ModelInput input_;
  std::vector<std::string> parameters_;
  std::string data_;
  EvaluateOptions options_;
  DeviceInput device_;
};

}  // namespace

std::unique_ptr<Verb> make_evaluate() { return std::make_unique<EvaluateVerb>(); }

}  // namespace nextstat::cli
