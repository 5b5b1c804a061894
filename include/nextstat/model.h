// A statistical model: a workspace seen through one measurement, compiled into flat arrays.
//
//   Result<Model> model = load_model("analysis.json", {.measurement = "Nominal"});
//   model->parameters()[0].name;
//
// Parameters and data stand in pyhf's order, so results can be compared by position. A Model is an immutable
// value; copies share their storage.
#pragma once

#include <nextstat/names.h>
#include <nextstat/result.h>
#include <nextstat/workspace.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace nextstat {

// What auxiliary data say about a parameter.
enum class Constraint { None, Normal, Poisson };
const char* to_string(Constraint constraint);

// The values are the numbers of the codes in the kernels.
enum class NormsysCode : std::uint32_t { Code1 = 1, Code4 = 4 };
enum class HistosysCode : std::uint32_t { Code0 = 0, Code2 = 2, Code4p = 4 };

// Codes by their names: "code4p".
NameTable<NormsysCode> normsys_codes();
NameTable<HistosysCode> histosys_codes();
const char* to_string(NormsysCode code);
const char* to_string(HistosysCode code);
Result<NormsysCode> parse_normsys_code(std::string_view name);
Result<HistosysCode> parse_histosys_code(std::string_view name);

// Which measurement of the workspace, which channels, and how rates are interpolated.
struct ModelOptions {
  std::string measurement = {};                       // by name; "" = by index
  std::optional<std::size_t> measurement_index = {};  // default: the first
  std::optional<std::string> poi = {};                // instead of the measurement's; "" = none
  std::vector<std::string> channels = {};  // only these, with the parameters that act in them; empty = all
  NormsysCode normsys_code = NormsysCode::Code4;
  HistosysCode histosys_code = HistosysCode::Code4p;
  Limits limits = {};
};

// One parameter, as the model begins with it.
struct Parameter {
  std::string name;  // flat: "mu", "staterror_SR[2]"
  std::string set;   // name of the parameter set: "staterror_SR"
  std::string type;  // type of the modifier that brings it: "staterror"
  double init = 0, low = 0, high = 0;
  bool fixed = false;
  Constraint constraint = Constraint::None;
  double center = 0;                      // auxiliary datum; constrained parameters only
  double width = 0;                       // sigma of a normal constraint, tau of a Poisson constraint
  std::optional<std::size_t> data_index;  // where the auxiliary datum stands in the data
  // Of a set that counts the bins of several channels (staterror): the bin it acts in. Names in the set are
  // numbered through, so these say which parameters of models with other channels are the same.
  std::string channel;
  std::size_t bin = 0;
};

// What the constraint says of a parameter before the data do: center and sigma, of a gamma with a Poisson
// constraint 1/sqrt(tau). NaN for unconstrained ones.
struct Prefit {
  double center, sigma;
};
Prefit prefit(const Parameter& parameter);

// One channel: where its bins stand, and what is in it.
struct ChannelInfo {
  std::string name;
  std::size_t first_bin = 0, bins = 0;  // position of its bins in the data
  std::vector<std::string> samples;
};

struct CompiledModel;     // internal
struct CheckedWorkspace;  // internal

// An immutable value that is cheap to copy and safe to use from several threads.
class Model {
 public:
  std::span<const Parameter> parameters() const;
  std::span<const ChannelInfo> channels() const;  // sorted by name
  std::size_t n_parameters() const { return parameters().size(); }
  std::size_t n_bins() const;            // main bins over all channels
  std::span<const double> data() const;  // observed main bins, then auxiliary data
  std::vector<double> initial() const;   // initial value of every parameter
  std::optional<std::size_t> poi_index() const;
  const std::string& poi_name() const;  // as asked for, also when the model lacks it; "" = none
  const std::string& measurement() const;
  NormsysCode normsys_code() const;
  HistosysCode histosys_code() const;
  const std::vector<std::string>& warnings() const;

  // The same model with other observations and auxiliary data: [datum] as data().
  Result<Model> with_data(std::span<const double> values) const;

  // A move is a copy, which is cheap: no Model is ever without its data.
  Model(const Model&) = default;
  Model& operator=(const Model&) = default;

 private:
  struct Data;
  friend Result<Model> build_model(const Workspace& workspace, const ModelOptions& options);
  friend Result<Model> parse_model(std::string_view text, const ModelOptions& options);
  friend const CompiledModel& compiled_model(const Model& model);
  static Result<Model> made(const Workspace& workspace, const ModelOptions& options,
                            CheckedWorkspace* checked);
  explicit Model(std::shared_ptr<const Data> data) : data_(std::move(data)) {}

  std::shared_ptr<const Data> data_;
};

// Errors: no such measurement or channel, a measurement that cannot be used, limits that are exceeded. The
// workspace may go when the model is there.
Result<Model> build_model(const Workspace& workspace, const ModelOptions& options = {});

// From the text, or the file, to the model at once, for those who need no Workspace; quicker, because what the check of the
// workspace found out serves the model too. The errors of both.
Result<Model> parse_model(std::string_view text, const ModelOptions& options = {});
Result<Model> load_model(const std::string& path, const ModelOptions& options = {});

}  // namespace nextstat
#pragma GCC visibility pop
