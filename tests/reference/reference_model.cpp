#include "reference/reference_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string_view>

namespace nextstat::reference {
namespace {

using nlohmann::json;

// A modifier where it stands, in the order of the walk: channels, samples, modifiers, each sorted.
struct Use {
  std::string type;
  std::string name;
  const json* channel;
  const json* sample;
  const json* modifier;

  std::string channel_name() const { return channel->at("name"); }
  std::vector<double> nominal() const { return sample->at("data"); }
  std::vector<double> uncertainty() const { return modifier->at("data"); }
};

// The parameters that one name stands for.
struct ParameterSet {
  std::string name;
  std::string type;  // of the modifier that came first
  bool scalar = true;
  std::vector<Parameter> parameters;
  std::map<std::string, std::size_t> channel_offset = {};  // staterror: first parameter of each channel
  std::size_t first = 0;                                   // index of the first parameter in the model
};

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument(what); }

std::vector<const json*> sorted(const json& list, const std::vector<std::string>& keys) {
  std::vector<const json*> result;
  for (const json& item : list) result.push_back(&item);
  std::stable_sort(result.begin(), result.end(), [&](const json* a, const json* b) {
    for (const std::string& key : keys) {
      const int order = a->at(key).get<std::string>().compare(b->at(key).get<std::string>());
      if (order != 0) return order < 0;
    }
    return false;
  });
  return result;
}

std::size_t bin_count(const json& channel) { return channel.at("samples").at(0).at("data").size(); }

std::vector<Use> walk(const json& workspace) {
  std::vector<Use> uses;
  for (const json* channel : sorted(workspace.at("channels"), {"name"})) {
    for (const json* sample : sorted(channel->at("samples"), {"name"})) {
      if (sample->at("data").size() != bin_count(*channel)) refuse("a sample has another number of bins");
      for (const json* modifier : sorted(sample->at("modifiers"), {"name", "type"})) {
        uses.push_back({modifier->at("type"), modifier->at("name"), channel, sample, modifier});
      }
    }
  }
  return uses;
}

ParameterSet scalar_set(const Use& use, const Parameter& parameter) {
  return {use.name, use.type, true, {parameter}};
}

// One parameter per bin, Poisson with tau = (nominal / uncertainty)^2.
// Fixed with tau = 1 where either is not positive.
ParameterSet shapesys_set(const Use& use) {
  ParameterSet set{use.name, use.type, false, {}};
  const std::vector<double> nominal = use.nominal();
  const std::vector<double> uncertainty = use.uncertainty();
  if (uncertainty.size() != nominal.size()) refuse("shapesys '" + use.name + "': wrong number of bins");
  for (std::size_t bin = 0; bin < nominal.size(); ++bin) {
    const bool valid = nominal[bin] > 0 && uncertainty[bin] > 0;
    const double tau = valid ? (nominal[bin] * nominal[bin]) / (uncertainty[bin] * uncertainty[bin]) : 1.0;
    set.parameters.push_back({.init = 1,
                              .lower = 1e-10,
                              .upper = 10,
                              .fixed = !valid,
                              .constraint = Constraint::kPoisson,
                              .auxiliary = tau,
                              .tau = tau});
  }
  return set;
}

ParameterSet shapefactor_set(const Use& use) {
  const Parameter parameter{.init = 1, .lower = 0, .upper = 10};
  return {use.name, use.type, false, std::vector<Parameter>(use.nominal().size(), parameter)};
}

ParameterSet default_set(const Use& use) {
  if (use.type == "normfactor") return scalar_set(use, {.init = 1, .lower = 0, .upper = 10});
  if (use.type == "normsys" || use.type == "histosys") {
    return scalar_set(use, {.init = 0, .lower = -5, .upper = 5, .constraint = Constraint::kNormal});
  }
  if (use.type == "lumi") return scalar_set(use, {.constraint = Constraint::kNormal});
  if (use.type == "shapefactor") return shapefactor_set(use);
  if (use.type == "shapesys") return shapesys_set(use);
  refuse("unknown modifier type '" + use.type + "'");
}

// Gaussian around 1, over the samples that carry the modifier:
//   sigma_b = sqrt(sum_s uncertainty_sb^2) / sum_s nominal_sb
// The parameters of several channels follow one another. Fixed, with sigma 1, where there is no such sigma.
ParameterSet staterror_set(const std::string& name, const std::vector<Use>& uses) {
  ParameterSet set{name, "staterror", false, {}};
  std::map<std::string, std::vector<std::string>> samples;  // by channel
  std::map<std::string, std::vector<double>> totals, squares;
  for (const Use& use : uses) {
    const std::vector<double> nominal = use.nominal();
    const std::vector<double> uncertainty = use.uncertainty();
    if (uncertainty.size() != nominal.size()) refuse("staterror '" + name + "': wrong number of bins");
    std::vector<double>& total = totals[use.channel_name()];
    std::vector<double>& square = squares[use.channel_name()];
    total.resize(nominal.size());
    square.resize(nominal.size());
    for (std::size_t bin = 0; bin < nominal.size(); ++bin) {
      total[bin] += nominal[bin];
      square[bin] += uncertainty[bin] * uncertainty[bin];
    }
    samples[use.channel_name()].push_back(use.sample->at("name"));
  }
  for (const auto& [channel, total] : totals) {
    if (samples[channel] != samples.begin()->second) refuse("staterror '" + name + "': coverage differs");
    set.channel_offset[channel] = set.parameters.size();
    for (std::size_t bin = 0; bin < total.size(); ++bin) {
      const double sigma = total[bin] > 0 ? std::sqrt(squares[channel][bin]) / total[bin] : 0;
      set.parameters.push_back({.init = 1,
                                .lower = 1e-10,
                                .upper = 10,
                                .fixed = sigma == 0,
                                .constraint = Constraint::kNormal,
                                .auxiliary = 1,
                                .sigma = sigma == 0 ? 1 : sigma});
    }
  }
  return set;
}

// Sets in pyhf's order: by modifier type, within a type by first appearance, staterror by name. A name that
// two types use belongs to the first; only normsys and histosys may share one.
class SetList {
 public:
  explicit SetList(const std::vector<Use>& uses) {
    static constexpr std::array<std::string_view, 6> kTypes = {"histosys", "lumi",        "normfactor",
                                                               "normsys",  "shapefactor", "shapesys"};
    for (const std::string_view type : kTypes) {
      for (const Use& use : uses) {
        if (use.type == type) add(use);
      }
    }
    std::map<std::string, std::vector<Use>> staterrors;
    for (const Use& use : uses) {
      if (use.type == "staterror") staterrors[use.name].push_back(use);
    }
    for (const auto& [name, list] : staterrors) {
      if (find(name) != nullptr) refuse("name '" + name + "' is used by two modifier types");
      sets_.push_back(staterror_set(name, list));
    }
  }

  ParameterSet* find(const std::string& name) {
    for (ParameterSet& set : sets_) {
      if (set.name == name) return &set;
    }
    return nullptr;
  }

  std::vector<ParameterSet>& sets() { return sets_; }

 private:
  void add(const Use& use) {
    const ParameterSet* known = find(use.name);
    if (known == nullptr) {
      sets_.push_back(default_set(use));
      return;
    }
    if (use.type == "shapesys") refuse("shapesys '" + use.name + "' is used twice");
    const bool interpolated = known->type == "histosys" && use.type == "normsys";
    if (known->type != use.type && !interpolated)
      refuse("name '" + use.name + "' is used by two modifier types");
  }

  std::vector<ParameterSet> sets_;
};

std::vector<double> override_list(const ParameterSet& set, const json& config, const char* key,
                                  bool allowed) {
  if (!config.contains(key)) return {};
  if (!allowed) refuse("parameter '" + set.name + "' has no " + key);
  if (config.at(key).size() != set.parameters.size()) {
    refuse("parameter '" + set.name + "': wrong number of " + key);
  }
  return config.at(key);
}

void apply_overrides(ParameterSet& set, const json& config) {
  const bool poisson = set.type == "shapesys";
  const bool has_sigma = set.type == "staterror" || set.type == "lumi";
  const bool constrained = set.parameters.at(0).constraint != Constraint::kNoValue;
  const std::vector<double> inits = override_list(set, config, "inits", true);
  const std::vector<double> auxiliary = override_list(set, config, "auxdata", constrained);
  const std::vector<double> factors = override_list(set, config, "factors", poisson);
  const std::vector<double> sigmas = override_list(set, config, "sigmas", has_sigma);
  const json bounds = config.value("bounds", json::array());
  if (!bounds.empty() && bounds.size() != set.parameters.size()) refuse("'" + set.name + "': bounds");
  for (std::size_t k = 0; k < set.parameters.size(); ++k) {
    Parameter& parameter = set.parameters[k];
    if (!inits.empty()) parameter.init = inits[k];
    if (!auxiliary.empty()) parameter.auxiliary = auxiliary[k];
    if (!factors.empty()) parameter.tau = factors[k];
    if (!sigmas.empty()) parameter.sigma = sigmas[k];
    if (!bounds.empty()) {
      parameter.lower = bounds[k].at(0);
      parameter.upper = bounds[k].at(1);
    }
    if (config.contains("fixed")) parameter.fixed = config.at("fixed");
  }
}

// Overrides of the measurement. lumi has no defaults: its four attributes must be there.
void configure(SetList& sets, const json& configs) {
  std::map<std::string, const json*> by_name;
  for (const json& config : configs) {
    const std::string name = config.at("name");
    if (!by_name.emplace(name, &config).second) refuse("parameter '" + name + "' is configured twice");
  }
  for (ParameterSet& set : sets.sets()) {
    const auto found = by_name.find(set.name);
    const json config = found == by_name.end() ? json::object() : *found->second;
    if (set.type == "lumi") {
      for (const char* key : {"inits", "bounds", "auxdata", "sigmas"}) {
        if (!config.contains(key)) refuse("lumi needs " + std::string(key) + " in the measurement");
      }
    }
    apply_overrides(set, config);
  }
}

std::size_t parameter_of(const ParameterSet& set, const std::string& channel, std::size_t bin) {
  if (set.scalar) return set.first;
  if (set.type == "staterror") return set.first + set.channel_offset.at(channel) + bin;
  // A shapefactor has as many parameters as its first channel has bins; pyhf hands parameter 0 of the whole
  // model to the bins beyond.
  return bin < set.parameters.size() ? set.first + bin : 0;
}

Term make_term(const json& modifier, const ParameterSet& set, const std::string& channel, std::size_t bin) {
  const std::size_t parameter = parameter_of(set, channel, bin);
  const std::string type = modifier.at("type");
  const json& data = modifier.at("data");
  if (type == "normsys") return {TermKind::kNormsys, parameter, data.at("lo"), data.at("hi")};
  if (type == "histosys") {
    return {TermKind::kHistosys, parameter, data.at("lo_data").at(bin), data.at("hi_data").at(bin)};
  }
  return {TermKind::kScale, parameter};
}

void add_parameters(ReferenceModel& model, SetList& sets) {
  for (ParameterSet& set : sets.sets()) {
    set.first = model.parameters.size();
    for (std::size_t k = 0; k < set.parameters.size(); ++k) {
      Parameter parameter = set.parameters[k];
      parameter.name = set.scalar ? set.name : set.name + "[" + std::to_string(k) + "]";
      if (parameter.constraint != Constraint::kNoValue) {
        parameter.data_index = model.data.size();
        model.data.push_back(parameter.auxiliary);
      }
      model.parameters.push_back(parameter);
    }
  }
}

void add_main_data(ReferenceModel& model, const json& workspace) {
  for (const json* channel : sorted(workspace.at("channels"), {"name"})) {
    const json& all = workspace.at("observations");
    const auto found = std::find_if(all.begin(), all.end(), [&](const json& observation) {
      return observation.at("name") == channel->at("name");
    });
    if (found == all.end()) refuse("a channel has no observation");
    const std::vector<double> counts = found->at("data");
    if (counts.size() != bin_count(*channel)) refuse("an observation has another number of bins");
    model.channels.push_back({channel->at("name"), counts.size()});
    model.data.insert(model.data.end(), counts.begin(), counts.end());
  }
  model.main_bins = model.data.size();
}

void add_contributions(ReferenceModel& model, const json& workspace, SetList& sets) {
  std::size_t first_bin = 0;
  for (const json* channel : sorted(workspace.at("channels"), {"name"})) {
    for (std::size_t bin = 0; bin < bin_count(*channel); ++bin) {
      for (const json* sample : sorted(channel->at("samples"), {"name"})) {
        Contribution contribution{first_bin + bin, sample->at("data").at(bin), {}};
        for (const json* modifier : sorted(sample->at("modifiers"), {"name", "type"})) {
          const ParameterSet* set = sets.find(modifier->at("name"));
          contribution.terms.push_back(make_term(*modifier, *set, channel->at("name"), bin));
        }
        model.contributions.push_back(std::move(contribution));
      }
    }
    first_bin += bin_count(*channel);
  }
}

}  // namespace

ReferenceModel ReferenceModel::from_workspace(const json& workspace, const Options& options) {
  const json& config = workspace.at("measurements").at(options.measurement).at("config");
  ReferenceModel model;
  model.normsys_code = options.normsys_code;
  model.histosys_code = options.histosys_code;
  SetList sets(walk(workspace));
  configure(sets, config.at("parameters"));
  add_main_data(model, workspace);
  add_parameters(model, sets);
  add_contributions(model, workspace, sets);
  const ParameterSet* poi = sets.find(options.poi.value_or(config.at("poi").get<std::string>()));
  if (poi != nullptr && poi->parameters.size() > 1) refuse("the POI has several components");
  if (poi != nullptr) model.poi_index = poi->first;
  return model;
}

std::vector<double> ReferenceModel::inits() const {
  std::vector<double> result;
  for (const Parameter& parameter : parameters) result.push_back(parameter.init);
  return result;
}

}  // namespace nextstat::reference
