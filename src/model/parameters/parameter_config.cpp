// A measurement's overrides of parameters.
#include <fmt/format.h>
#include <nextstat/text.h>

#include <unordered_set>

#include "model/parameters/parameter_collection.h"

namespace nextstat {
namespace {

// Compares what a measurement says with the parameters there are. Its cost follows the length of what is
// said, not the size of the model, so that many measurements of a large model stay cheap.
class ConfigCheck {
 public:
  ConfigCheck(const Workspace& workspace, std::size_t measurement, const ParameterCollection& collection,
              Faults& faults)
      : workspace_(workspace),
        measurement_(workspace.measurements[measurement]),
        collection_(collection),
        faults_(faults),
        prefix_(fmt::format("/measurements/{}/config", measurement)) {}

  void run(bool all_read) {
    std::unordered_set<NameId> seen;
    for (std::size_t i = 0; i < measurement_.parameters.size(); ++i) {
      const ParameterConfig& config = measurement_.parameters[i];
      if (config.name == kNoName) continue;
      const std::string here = fmt::format("{}/parameters/{}", prefix_, i);
      if (!seen.insert(config.name).second) {
        faults_.add(here + "/name",
                    fmt::format("the parameter \"{}\" is configured twice", name(config.name)),
                    "keep one entry for it");
      } else if (const ParameterSet* set = collection_.find(config.name)) {
        entry(config, *set, here);
      }
    }
    for (const std::uint32_t set : collection_.sets_to_configure) {
      if (all_read && !seen.contains(collection_.sets[set].name)) no_settings(collection_.sets[set]);
    }
    poi();
  }

 private:
  std::string name(NameId id) const { return shorten(workspace_.name(id)); }

  void no_settings(const ParameterSet& set) {
    faults_.add(
        prefix_ + "/parameters",
        fmt::format("the parameter \"{}\" has no settings and no defaults", name(set.name)),
        fmt::format(R"(add {{"name": "{}", "auxdata": [1.0], "sigmas": [0.02], "bounds": [[0.5, 1.5]], )"
                    R"("inits": [1.0]}})",
                    name(set.name)));
  }

  void entry(const ParameterConfig& config, const ParameterSet& set, const std::string& here) {
    if (set.attributes.required) {
      require(config.inits, "inits", set, here);
      require(config.bounds, "bounds", set, here);
      require(config.auxdata, "auxdata", set, here);
      require(config.sigmas, "sigmas", set, here);
    }
    fits(config.inits, set, true, here, "inits");
    if (fits(config.auxdata, set, set.attributes.auxdata, here, "auxdata") &&
        set.constraint == Constraint::Poisson) {
      each(*config.auxdata, here + "/auxdata", "an auxiliary count cannot be negative",
           [](double x) { return x >= 0; });
    }
    if (fits(config.sigmas, set, set.attributes.sigmas, here, "sigmas")) {
      each(*config.sigmas, here + "/sigmas", "a sigma must be positive", [](double x) { return x > 0; });
    }
    if (fits(config.factors, set, set.attributes.factors, here, "factors")) {
      each(*config.factors, here + "/factors", "a factor must be positive", [](double x) { return x > 0; });
    }
    bounds(config, set, here);
  }

  void require(const std::optional<NumberRange>& range, const char* key, const ParameterSet& set,
               const std::string& here) {
    if (range) return;
    faults_.add(here, fmt::format("\"{}\" needs the key \"{}\": it has no default", name(set.name), key),
                fmt::format("add \"{}\"", key));
  }

  bool fits(const std::optional<NumberRange>& range, const ParameterSet& set, bool supported,
            const std::string& here, const char* key) {
    if (!range || !is_usable(*range)) return false;
    if (supported) return length_fits(range->count, set, here, key);
    faults_.add(
        here + "/" + key,
        fmt::format("\"{}\" is a {} and has no {}", name(set.name), modifier_kinds()[set.kind].type, key),
        fmt::format("remove \"{}\"", key));
    return false;
  }

  bool length_fits(std::size_t count, const ParameterSet& set, const std::string& here, const char* key) {
    if (count == set.size() || !set.complete) return count == set.size();
    faults_.add(here + "/" + key,
                fmt::format("{} value{}, but \"{}\" has {} component{}", count, count == 1 ? "" : "s",
                            name(set.name), set.size(), set.size() == 1 ? "" : "s"),
                "give one value per component");
    return false;
  }

  template <class Predicate>
  void each(const NumberRange& range, const std::string& here, const char* what, Predicate&& good) {
    const auto values = workspace_.values(range);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!good(values[i])) {
        faults_.add(fmt::format("{}/{}", here, i), fmt::format("{}, found {}", what, values[i]),
                    "check this value");
      }
    }
  }

  void bounds(const ParameterConfig& config, const ParameterSet& set, const std::string& here) {
    if (!config.bounds || !is_usable(*config.bounds)) return;
    if (!length_fits(config.bounds->count / 2, set, here, "bounds")) return;
    const auto pairs = workspace_.values(*config.bounds);
    for (std::size_t i = 0; i < pairs.size() / 2; ++i) {
      if (pairs[2 * i] <= pairs[2 * i + 1]) continue;
      faults_.add(
          fmt::format("{}/bounds/{}", here, i),
          fmt::format("the lower bound {} is above the upper bound {}", pairs[2 * i], pairs[2 * i + 1]),
          "write [low, high]");
    }
  }

  void poi() {
    const ParameterSet* set = collection_.find(measurement_.poi);
    if (!set || set->size() == 1) return;
    faults_.add(
        prefix_ + "/poi",
        fmt::format("the parameter of interest \"{}\" has {} components", name(set->name), set->size()),
        "choose a parameter with one component, such as a normfactor");
  }

  const Workspace& workspace_;
  const WorkspaceMeasurement& measurement_;
  const ParameterCollection& collection_;
  Faults& faults_;
  std::string prefix_;
};

}  // namespace

void check_measurement(const Workspace& workspace, std::size_t measurement,
                       const ParameterCollection& collection, Faults& faults, bool all_read) {
  ConfigCheck(workspace, measurement, collection, faults).run(all_read);
}

void configure_parameters(const Workspace& workspace, std::size_t measurement,
                          ParameterCollection& collection) {
  using Component = ParameterSet::Component;
  for (const ParameterConfig& config : workspace.measurements[measurement].parameters) {
    const std::uint32_t index = collection.set_of_name[config.name];
    if (index == kNoSet) continue;
    auto& components = collection.sets[index].components;
    const auto assign = [&](const std::optional<NumberRange>& range, double Component::*member) {
      for (std::size_t i = 0; range && i < components.size(); ++i)
        components[i].*member = workspace.values(*range)[i];
    };
    assign(config.inits, &Component::init);
    assign(config.auxdata, &Component::center);
    assign(config.sigmas, &Component::width);
    assign(config.factors, &Component::width);
    for (std::size_t i = 0; i < components.size(); ++i) {
      if (config.fixed) components[i].fixed = *config.fixed;
      if (!config.bounds) continue;
      components[i].low = workspace.values(*config.bounds)[2 * i];
      components[i].high = workspace.values(*config.bounds)[2 * i + 1];
    }
  }
}

}  // namespace nextstat
