#include <fmt/format.h>
#include <nextstat/files.h>
#include <nextstat/model.h>
#include <nextstat/names.h>
#include <nextstat/text.h>

#include <algorithm>
#include <cmath>

#include "base/try.h"
#include "model/compile/compile.h"
#include "model/compile/compiled_model.h"
#include "model/workspace/workspace_reader.h"

namespace nextstat {
namespace {

constexpr Named<Constraint> kConstraints[] = {
    {"none", Constraint::None}, {"normal", Constraint::Normal}, {"poisson", Constraint::Poisson}};

}  // namespace

const char* to_string(Constraint constraint) {
  return name_in(NameTable<Constraint>(kConstraints), constraint);
}

struct Model::Data {
  std::vector<Parameter> parameters;
  std::vector<ChannelInfo> channels;
  std::vector<double> data;
  std::optional<std::size_t> poi_index;
  std::string poi_name, measurement;
  NormsysCode normsys_code;
  HistosysCode histosys_code;
  std::vector<std::string> warnings;
  std::shared_ptr<const CompiledModel> compiled;  // shared by models that differ in their data only
};

std::span<const Parameter> Model::parameters() const { return data_->parameters; }
std::span<const ChannelInfo> Model::channels() const { return data_->channels; }
std::size_t Model::n_bins() const { return data_->compiled->n_bins; }
std::span<const double> Model::data() const { return data_->data; }
std::optional<std::size_t> Model::poi_index() const { return data_->poi_index; }
const std::string& Model::poi_name() const { return data_->poi_name; }
const std::string& Model::measurement() const { return data_->measurement; }
NormsysCode Model::normsys_code() const { return data_->normsys_code; }
HistosysCode Model::histosys_code() const { return data_->histosys_code; }
const std::vector<std::string>& Model::warnings() const { return data_->warnings; }
const CompiledModel& compiled_model(const Model& model) { return *model.data_->compiled; }

std::vector<double> Model::initial() const {
  std::vector<double> values;
  values.reserve(n_parameters());
  for (const Parameter& parameter : parameters()) values.push_back(parameter.init);
  return values;
}

namespace {

Result<std::size_t> find_measurement(const Workspace& workspace, const ModelOptions& options) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < workspace.measurements.size(); ++i) {
    names.emplace_back(workspace.name(workspace.measurements[i].name));
    if (!options.measurement.empty() && names.back() == options.measurement) return i;
  }
  if (!options.measurement.empty()) {
    return Error{ErrorCode::NotFound, "/measurements",
                 fmt::format("there is no measurement \"{}\"", options.measurement),
                 did_you_mean(options.measurement, names,
                              fmt::format("the measurements are: {}", fmt::join(names, ", ")))};
  }
  const std::size_t index = options.measurement_index.value_or(0);
  if (index < names.size()) return index;
  return Error{ErrorCode::NotFound, "/measurements",
               fmt::format("there is no measurement {}: the workspace has {}", index, names.size()),
               "measurements are counted from 0"};
}

Errors unknown_channels(const Workspace& workspace, const std::vector<std::string>& wanted) {
  std::vector<std::string> names;
  for (const WorkspaceChannel& channel : workspace.channels) names.emplace_back(workspace.name(channel.name));
  Errors errors;
  for (const std::string& name : wanted) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    errors.push_back({ErrorCode::NotFound, "/channels", fmt::format("there is no channel \"{}\"", name),
                      did_you_mean(name, names, Listing::Channels)});
  }
  return errors;
}

// Says in which bin each component of a set acts, where the set has slices per channel.
void name_bins(const ParameterSet& set, std::span<const ChannelInfo> channels,
               std::span<Parameter> parameters) {
  for (const ParameterSet::ChannelSlice& slice : set.slices) {
    for (std::size_t bin = 0; bin < slice.nominal.size(); ++bin) {
      parameters[slice.begin + bin].channel = channels[slice.channel].name;
      parameters[slice.begin + bin].bin = bin;
    }
  }
}

std::vector<Parameter> flat_parameters(const Workspace& workspace, const ParameterCollection& collection,
                                       std::span<const ChannelInfo> channels, std::size_t n_bins) {
  std::vector<Parameter> parameters;
  parameters.reserve(collection.size);
  std::size_t datum = n_bins;
  for (const ParameterSet& set : collection.sets) {
    for (std::size_t i = 0; i < set.size(); ++i) {
      Parameter& parameter = parameters.emplace_back();
      parameter.set = workspace.name(set.name);
      parameter.name = set.scalar ? parameter.set : fmt::format("{}[{}]", parameter.set, i);
      parameter.type = modifier_kinds()[set.kind].type;
      parameter.init = set.components[i].init;
      parameter.low = set.components[i].low;
      parameter.high = set.components[i].high;
      parameter.fixed = set.components[i].fixed;
      parameter.constraint = set.constraint;
      if (set.constraint == Constraint::None) continue;
      parameter.center = set.components[i].center;
      parameter.width = set.components[i].width;
      parameter.data_index = datum++;
    }
    name_bins(set, channels, std::span(parameters).last(set.size()));
  }
  return parameters;
}

// Channels in order, with their observations appended to data.
std::vector<ChannelInfo> channel_infos(const Workspace& workspace, const SortedView& view,
                                       std::vector<double>& data) {
  std::vector<const WorkspaceObservation*> observation_of(workspace.names.size(), nullptr);
  for (const WorkspaceObservation& observation : workspace.observations)
    observation_of[observation.name] = &observation;
  std::vector<ChannelInfo> channels;
  for (const std::uint32_t c : view.channels()) {
    const WorkspaceChannel& channel = workspace.channels[c];
    ChannelInfo& info = channels.emplace_back();
    info.name = workspace.name(channel.name);
    info.first_bin = data.size();
    info.bins = workspace.samples[channel.samples_begin].data.count;
    for (const std::uint32_t sample : view.samples(c))
      info.samples.emplace_back(workspace.name(workspace.samples[sample].name));
    const auto observed = workspace.values(observation_of[channel.name]->data);
    data.insert(data.end(), observed.begin(), observed.end());
  }
  return channels;
}

// By the name of a set with one component, or of one component of a larger set.
Result<std::optional<std::size_t>> find_poi(const std::string& poi, bool asked_for,
                                            const std::vector<Parameter>& parameters) {
  if (poi.empty()) return std::optional<std::size_t>();
  std::optional<std::size_t> found, component;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (asked_for && parameters[i].name == poi) component = i;
    if (parameters[i].set != poi) continue;
    if (found) {
      return Error{ErrorCode::BadUsage,
                   Field::Poi,
                   fmt::format("the parameter of interest \"{}\" has several components", poi),
                   {"choose one of them", {{Field::Poi, poi + "[0]"}}}};
    }
    found = i;
  }
  if (!found) found = component;
  if (!found && asked_for) {
    std::vector<std::string> names;
    for (const Parameter& parameter : parameters) names.push_back(parameter.name);
    return Error{ErrorCode::NotFound, Field::Poi,
                 fmt::format("there is no parameter \"{}\" to use as the parameter of interest", poi),
                 did_you_mean(poi, names, Listing::Parameters)};
  }
  return found;
}

}  // namespace

Result<Model> build_model(const Workspace& workspace, const ModelOptions& options) {
  return Model::made(workspace, options, nullptr);
}

Result<Model> parse_model(std::string_view text, const ModelOptions& options) {
  TRY(CheckedWorkspace checked, read_and_check(text, options.limits, UsableMeasurements::One));
  return Model::made(checked.workspace, options, &checked);
}

Result<Model> load_model(const std::string& path, const ModelOptions& options) {
  TRY(const std::string text, read_text(path, options.limits.text_bytes));
  Result<Model> model = parse_model(text, options);
  if (model) return model;
  return in_file(model.errors(), path);
}

// checked: what is known of the whole workspace; null = nothing.
Result<Model> Model::made(const Workspace& workspace, const ModelOptions& options,
                          CheckedWorkspace* checked) {
  TRY(const std::size_t measurement, find_measurement(workspace, options));
  if (const Errors errors = unknown_channels(workspace, options.channels); !errors.empty()) return errors;
  Faults faults;
  CheckedWorkspace some;  // of the channels that are wanted
  if (checked == nullptr || !options.channels.empty()) {
    checked = &some;
    some.view.emplace(workspace, options.channels);
    some.collection = collect_parameters(workspace, *some.view, faults);
  }
  const SortedView& view = *checked->view;
  ParameterCollection& collection = checked->collection;
  check_measurement(workspace, measurement, collection, faults);
  if (!faults.empty()) return faults.take();
  configure_parameters(workspace, measurement, collection);

  auto data = std::make_shared<Model::Data>();
  data->measurement = workspace.name(workspace.measurements[measurement].name);
  data->normsys_code = options.normsys_code;
  data->histosys_code = options.histosys_code;
  data->channels = channel_infos(workspace, view, data->data);
  data->parameters = flat_parameters(workspace, collection, data->channels, data->data.size());
  for (const Parameter& parameter : data->parameters) {
    if (parameter.data_index) data->data.push_back(parameter.center);
  }
  data->poi_name = options.poi.value_or(std::string(workspace.name(workspace.measurements[measurement].poi)));
  TRY(std::optional<std::size_t> poi, find_poi(data->poi_name, options.poi.has_value(), data->parameters));
  data->poi_index = poi;
  data->warnings = workspace.warnings;
  TRY(CompiledModel compiled, compile(workspace, view, collection, options, data->warnings));
  data->compiled = std::make_shared<const CompiledModel>(std::move(compiled));
  return Model(std::move(data));
}

Result<Model> Model::with_data(std::span<const double> values) const {
  if (values.size() != data_->data.size()) {
    return Error{ErrorCode::BadUsage, Field::Data,
                 fmt::format("{} data values, the model has {}", values.size(), data_->data.size()),
                 "give the main bins in order, then the auxiliary data"};
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i]) && (i >= n_bins() || values[i] >= 0)) continue;
    return Error{ErrorCode::BadInput, fmt::format("data, datum {}", i),
                 fmt::format("{} is not a {}", values[i], i < n_bins() ? "count" : "finite number"),
                 "observed counts are finite and not negative, auxiliary data finite"};
  }
  auto changed = std::make_shared<Model::Data>(*data_);
  changed->data.assign(values.begin(), values.end());
  for (Parameter& parameter : changed->parameters) {
    if (parameter.data_index) parameter.center = values[*parameter.data_index];
  }
  return Model(std::move(changed));
}

namespace {

constexpr std::uint32_t kNowhere = 0xFFFFFFFF, kManyPlaces = 0xFFFFFFFE;

// [parameter] the only bin that it acts in as a gamma; kManyPlaces for everything else that acts; kNowhere.
std::vector<std::uint32_t> only_bins(const CompiledModel& model) {
  std::vector<std::uint32_t> bin_of(model.n_parameters, kNowhere);
  for (const auto& term : model.norms) bin_of[term.parameter] = kManyPlaces;
  for (const auto& term : model.linears) bin_of[term.parameter] = kManyPlaces;
  for (const auto& term : model.factors) bin_of[term.parameter] = kManyPlaces;
  for (const auto& term : model.shifts) bin_of[term.parameter] = kManyPlaces;
  for (const CompiledModel::Sample& sample : model.samples) {
    for (std::uint32_t i = sample.gamma_begin; i < sample.gamma_end; ++i) {
      const std::uint32_t bin = sample.first_bin + model.gammas[i].cell - sample.first_cell;
      std::uint32_t& known = bin_of[model.gammas[i].parameter];
      known = known == kNowhere || known == bin ? bin : kManyPlaces;
    }
  }
  return bin_of;
}

class ChannelLister {
 public:
  explicit ChannelLister(CompiledModel& model) : m_(model), seen_in_(model.n_parameters, kNowhere) {}

  void list(std::uint32_t begin, std::uint32_t end) {
    CompiledModel::Channel channel{begin, end, m_.samples[begin].first_bin, m_.samples[begin].bins, {}};
    for (std::uint32_t s = begin; s < end; ++s) {
      const CompiledModel::Sample& sample = m_.samples[s];
      add(m_.norms, sample.norm_begin, sample.norm_end, channel);
      add(m_.linears, sample.linear_begin, sample.linear_end, channel);
      add(m_.factors, sample.factor_begin, sample.factor_end, channel);
      add(m_.shifts, sample.shift_begin, sample.shift_end, channel);
      add(m_.gammas, sample.gamma_begin, sample.gamma_end, channel);
    }
    std::sort(channel.globals.begin(), channel.globals.end());
    m_.channels.push_back(std::move(channel));
  }

 private:
  template <class Terms>
  void add(const Terms& terms, std::uint32_t begin, std::uint32_t end, CompiledModel::Channel& channel) {
    for (std::uint32_t i = begin; i < end; ++i) {
      const std::uint32_t parameter = terms[i].parameter;
      if (m_.is_local[parameter] || seen_in_[parameter] == channel.sample_begin) continue;
      seen_in_[parameter] = channel.sample_begin;
      channel.globals.push_back(parameter);
    }
  }

  CompiledModel& m_;
  std::vector<std::uint32_t> seen_in_;  // [parameter] first sample of the channel that lists it already
};

}  // namespace

void list_parameters(CompiledModel& model) {
  const std::vector<std::uint32_t> bin_of = only_bins(model);
  model.is_local.assign(model.n_parameters, 0);
  model.place.assign(model.n_parameters, 0);
  for (std::uint32_t parameter = 0; parameter < model.n_parameters; ++parameter) {
    if (bin_of[parameter] == kNowhere || bin_of[parameter] == kManyPlaces) {
      model.place[parameter] = static_cast<std::uint32_t>(model.globals.size());
      model.globals.push_back(parameter);
    } else {
      model.is_local[parameter] = 1;
      model.locals.push_back({parameter, bin_of[parameter]});
    }
  }
  std::stable_sort(model.locals.begin(), model.locals.end(),
                   [](const auto& a, const auto& b) { return a.bin < b.bin; });
  for (std::uint32_t i = 0; i < model.locals.size(); ++i) model.place[model.locals[i].parameter] = i;
  ChannelLister lister(model);
  for (std::uint32_t begin = 0; begin < model.samples.size();) {
    std::uint32_t end = begin;
    while (end < model.samples.size() && model.samples[end].channel == model.samples[begin].channel) ++end;
    lister.list(begin, end);
    begin = end;
  }
}

}  // namespace nextstat
