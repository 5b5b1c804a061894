#include "input/run_input.h"

#include <fmt/format.h>
#include <nextstat/evaluate.h>
#include <nextstat/names.h>
#include <nextstat/observations.h>
#include <nextstat/result_json.h>
#include <nextstat/version.h>

#include <algorithm>
#include <set>

#include "input/parameters_input.h"
#include "input/values.h"

namespace nextstat::cli {
namespace {

constexpr std::uint64_t kMostStarts = 1'000'000;

// NAME=REST, split at the last "=": names may contain one.
struct Assignment {
  std::string name, rest;
};

Result<std::vector<Assignment>> read_assignments(const std::string& option,
                                                 const std::vector<std::string>& words,
                                                 const std::string& form, const std::string& example) {
  std::vector<Assignment> assignments;
  std::set<std::string> names;
  for (const std::string& word : words) {
    const std::size_t equals = word.rfind('=');
    if (equals == word.npos || equals == 0) {
      return Error{ErrorCode::BadUsage, option, fmt::format("\"{}\" is not {}", word, form),
                   fmt::format("write e.g. {} {}", option, example)};
    }
    assignments.push_back({word.substr(0, equals), word.substr(equals + 1)});
    if (!names.insert(assignments.back().name).second) {
      return Error{ErrorCode::BadUsage, option, fmt::format("\"{}\" is given twice", assignments.back().name),
                   "give it once"};
    }
  }
  return assignments;
}

Result<std::vector<NamedValue>> read_values(const std::string& option,
                                            const std::vector<std::string>& words) {
  const auto assignments = read_assignments(option, words, "NAME=VALUE", "mu=1.5");
  if (!assignments) return assignments.errors();
  std::vector<NamedValue> values;
  for (const Assignment& assignment : *assignments) {
    const std::optional<double> value = finite_number(assignment.rest);
    if (!value) {
      return Error{
          ErrorCode::BadUsage, option,
          fmt::format("the value \"{}\" of \"{}\" is not a finite number", assignment.rest, assignment.name),
          fmt::format("write e.g. {} {}=1.5", option, assignment.name)};
    }
    values.push_back({assignment.name, *value});
  }
  return values;
}

Result<std::vector<NamedBounds>> read_bounds(const std::vector<std::string>& words) {
  const auto assignments = read_assignments("--bounds", words, "NAME=LOW:HIGH", "mu=-5:20");
  if (!assignments) return assignments.errors();
  std::vector<NamedBounds> bounds;
  for (const Assignment& assignment : *assignments) {
    const std::size_t colon = assignment.rest.find(':');
    const auto low = finite_number(assignment.rest.substr(0, colon));
    const auto high =
        colon == std::string::npos ? std::nullopt : finite_number(assignment.rest.substr(colon + 1));
    if (!low || !high) {
      return Error{ErrorCode::BadUsage, "--bounds",
                   fmt::format("the bounds \"{}\" of \"{}\" are not LOW:HIGH with finite numbers",
                               assignment.rest, assignment.name),
                   fmt::format("write e.g. --bounds {}=-5:20", assignment.name)};
    }
    bounds.push_back({assignment.name, *low, *high});
  }
  return bounds;
}

// Asimov data are counts: where the expected rate is negative there are none.
Errors negative_counts(const Model& model, const std::vector<double>& expected) {
  std::vector<std::string> bins;
  for (const ChannelInfo& channel : model.channels()) {
    for (std::size_t b = 0; b < channel.bins; ++b) {
      const double rate = expected[channel.first_bin + b];
      if (!(rate >= 0)) bins.push_back(fmt::format("{:.6g} in {}[{}]", rate, channel.name, b));
    }
  }
  if (bins.empty()) return {};
  const std::string more = bins.size() > 1 ? fmt::format(" and in {} more bins", bins.size() - 1) : "";
  return {{ErrorCode::BadUsage, "--asimov",
           fmt::format("the expected data are negative: {}{}", bins.front(), more),
           "choose parameters at which the expected rate of every bin is not negative"}};
}

void add_repeatable(CLI::App& command, const std::string& name, std::vector<std::string>& words,
                    const std::string& description, const std::string& form) {
  command.add_option(name, words, description)
      ->type_name(form)
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all();
}

}  // namespace

std::string threads_help(std::size_t chosen) {
  return fmt::format("Threads; 0 = all (default {}; results do not depend on it)", chosen);
}

std::string instruction_set_help() {
  return fmt::format(
      "Force a processor instruction set: {} (default: the widest of the processor; results do not depend on "
      "it)",
      listed(instruction_set_names(), "or"));
}

void Run::add_header(nlohmann::json& json, const std::string& schema, const DeviceUse& device) const {
  warn_about_fallback(*warnings_to, device, json);
  nextstat::add_header(json, {.schema = schema,
                              .workspace_digest = warnings_to->writes_json() ? loaded.digest() : "",
                              .device = device,
                              .wall_time_s = task->wall_time_s(),
                              .load_time_s = loaded.load_time_s});
}

int Run::fail(const Console& console, Errors errors) const {
  for (Error& error : errors) {
    if (error.where.empty()) error.where.file = loaded.path;
  }
  return console.fail(errors);
}

void RunInput::declare(CLI::App& command) {
  model_.declare(command);
  command
      .add_option("--data", data_,
                  "Observations instead of the workspace's: {channel: [counts]} or a list as in a workspace")
      ->type_name("FILE");
  asimov_option_ = add_optional_words(command, "--asimov", asimov_,
                                      "Use Asimov data, main and auxiliary: expected at the suggested start, "
                                      "at NAME=VALUE ..., or at the values of a JSON file {name: value}",
                                      "FILE|NAME=VALUE");
  add_repeatable(command, "--fixed", fixed_,
                 "Fix a parameter, or a whole parameter set, at this value (repeatable)", "NAME=VALUE");
  add_repeatable(command, "--init", init_, "Initial value of a parameter (repeatable)", "NAME=VALUE");
  add_repeatable(command, "--bounds", bounds_, "Bounds of a parameter, instead of the model's (repeatable)",
                 "NAME=LOW:HIGH");
  command
      .add_option("--starts", plain_.starts,
                  "Number of starting points of every fit: auto = as many as it takes to be sure of the "
                  "deepest minimum; 1 = only the suggested start")
      ->transform(CLI::Validator(
          [](std::string& word) {
            static const CLI::Validator number = whole_number(1, kMostStarts);
            if (word == "auto") {
              word = "0";
              return std::string();
            }
            const std::string fault = number(word);
            return fault.empty() ? fault : fault + ", nor auto";
          },
          "", "starts"))
      ->default_str(plain_.starts == 0 ? "auto" : fmt::format("{}", plain_.starts))
      ->type_name("auto|N");
  command.add_option("--threads", plain_.threads, threads_help(plain_.threads))
      ->transform(whole_number(0, kMostThreads))
      ->type_name("N");
  command.add_option("--instruction-set", plain_.instruction_set, instruction_set_help())->type_name("NAME");
  device_.declare(command);
  command.add_flag("--no-progress", no_progress_, "Do not show progress");
}

Errors RunInput::taken_workspace(const ModelInput& model, const std::string& option,
                                 const std::vector<std::string>& words) {
  const auto plain = [](const std::string& word) { return word.find('=') == std::string::npos; };
  if (model.workspace_given() || words.empty() || !plain(words.back())) return {};
  return {{ErrorCode::BadUsage, option,
           fmt::format("\"{}\" was read as a value, so no workspace is given", words.back()),
           fmt::format("put the workspace before {} (- is standard input)", option)}};
}

Errors RunInput::check() const {
  if (is_asimov() && has_data()) {
    return {{ErrorCode::BadUsage, "--asimov", "--asimov and --data both set the data", "give one of them"}};
  }
  if (Errors errors = taken_workspace(model_, "--asimov", asimov_); !errors.empty()) return errors;
  std::vector<std::string> documents = {model_.path(), data_};
  documents.insert(documents.end(), asimov_.begin(), asimov_.end());
  if (Errors errors = one_from_standard_input(documents); !errors.empty()) return errors;
  return device_.check();
}

Result<std::vector<double>> RunInput::data(const Model& model, const std::vector<std::string>& others) const {
  if (has_data()) return read_observations(model, data_, others);
  if (!is_asimov()) return std::vector<double>();
  const Result<ParameterRows> rows = read_parameter_rows(model, asimov_, "--asimov");
  if (!rows) return rows.errors();
  if (rows->many) {
    return Error{ErrorCode::BadInput, asimov_.front(),
                 "this is a list of points; Asimov data need a single one", "give one object {name: value}"};
  }
  Result<std::vector<double>> expected = asimov_data(model, rows->values);
  if (!expected) return expected;
  if (Errors errors = negative_counts(model, *expected); !errors.empty()) return errors;
  return expected;
}

Result<RunOptions> RunInput::options(const Model& model, const std::vector<std::string>& others) const {
  RunOptions options = plain_;
  auto fixed = read_values("--fixed", fixed_);
  if (!fixed) return fixed.errors();
  auto init = read_values("--init", init_);
  if (!init) return init.errors();
  auto bounds = read_bounds(bounds_);
  if (!bounds) return bounds.errors();
  auto data = this->data(model, others);
  if (!data) return data.errors();
  options.fixed = std::move(*fixed);
  options.init = std::move(*init);
  options.bounds = std::move(*bounds);
  options.data = std::move(*data);
  device_.apply(options);
  return options;
}

Result<Run> RunInput::start(const Console& console, const ChannelFilter& channels) const {
  if (const Errors errors = check(); !errors.empty()) return errors;
  Result<LoadedModel> loaded = model_.load(channels);
  if (!loaded) return loaded.errors();
  Result<RunOptions> options = this->options(loaded->model, channel_names(loaded->workspace));
  if (!options) return options.errors();
  Run run{std::move(*loaded), std::move(*options), std::make_unique<Task>(progress()), &console};
  run.task->attach(run.options);
  return run;
}

}  // namespace nextstat::cli
