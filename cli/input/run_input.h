// The options of every verb that fits: model, data, start values, bounds, fixed parameters, threads, device.
//
//   RunInput input_;
//   input_.declare(command);                             // in Verb::declare
//   Result<Run> run = input_.start(console);             // in Verb::run
//   if (!run) return console.fail(run.errors());
//   const Result<FitResult> result = run->timed([&] { return fit(run->model(), {.run = run->options}); });
//   if (!result) return run->fail(console, result.errors());
//   nlohmann::json json = ...;
//   run->add_header(json, "nextstat/fit/1", result->device);
//   return console.result(json, table, exit_code(result->converged, interrupted));
#pragma once

#include <nextstat/run.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "input/device_input.h"
#include "input/model_input.h"
#include "screen/console.h"
#include "screen/task.h"

namespace nextstat::cli {

// A model with everything that a question about it needs.
struct Run {
  LoadedModel loaded;
  RunOptions options;          // progress and stop are those of the task
  std::unique_ptr<Task> task;  // behind a pointer: the options point to it
  const Console* warnings_to;

  const Model& model() const { return loaded.model; }
  // The library call. Its time is the result's wall_time_s.
  template <class Body>
  auto timed(Body&& body) {
    return task->timed(std::forward<Body>(body));
  }
  // Errors of the library call; those that name no place get the workspace's.
  int fail(const Console& console, Errors errors) const;
  // schema, nextstat_version, workspace_digest, device, precision, device_choice, wall_time_s; with --timings
  // load_time_s. Warns where the device asked for was not used.
  void add_header(nlohmann::json& json, const std::string& schema, const DeviceUse& device) const;
};

// Of --threads and --instruction-set.
std::string threads_help(std::size_t chosen);
std::string instruction_set_help();

class RunInput {
 public:
  void declare(CLI::App& command);

  // All of it: checks the options, loads the model, reads the data. Warnings go to the console.
  Result<Run> start(const Console& console, const ChannelFilter& channels = {}) const;

  // The steps of start(), for verbs with models of their own making.
  Errors check() const;  // misread words, clashes, a device that does not exist
  const ModelInput& model() const { return model_; }
  // Without progress and stop. `others`: channels that --data may name although the model has them not.
  Result<RunOptions> options(const Model& model, const std::vector<std::string>& others = {}) const;
  bool progress() const { return !no_progress_; }
  std::size_t threads() const { return plain_.threads; }
  const DeviceInput& device() const { return device_; }
  // Words that an option with an optional value may have taken although they were meant as the workspace.
  static Errors taken_workspace(const ModelInput& model, const std::string& option,
                                const std::vector<std::string>& words);

  bool has_data() const { return !data_.empty(); }
  bool is_asimov() const { return asimov_option_->count() > 0; }

 private:
  // Empty = the model's own.
  Result<std::vector<double>> data(const Model& model, const std::vector<std::string>& others) const;

  ModelInput model_;
  std::vector<std::string> fixed_, init_, bounds_, asimov_;
  std::string data_;
  DeviceInput device_;
  RunOptions plain_ = {};  // what needs no model: starts, threads, instruction set
  bool no_progress_ = false;
  CLI::Option* asimov_option_ = nullptr;
};

}  // namespace nextstat::cli
