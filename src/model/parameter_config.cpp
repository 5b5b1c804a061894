// A measurement's overrides of parameters.
#include <fmt/format.h>

#include <cmath>
#include <unordered_set>

#include "base/suggest.h"
#include "model/parameter_collection.h"
#include "model/workspace_reader.h"

namespace nextstat {
namespace {

class Configurator {
 public:
  Configurator(const Workspace& workspace, std::size_t measurement, ParameterCollection& collection, Faults& faults)
      : workspace_(workspace), measurement_(workspace.measurements[measurement]), collection_(collection), faults_(faults), prefix_(fmt::format("/measurements/{}/config", measurement)) {}

  void run() {
    std::unordered_set<NameId> seen;
    for (std::size_t i = 0; i < measurement_.parameters.size(); ++i) {
      const ParameterConfig& config = measurement_.parameters[i];
      if (config.name == kNoName) continue;
      const std::string here = fmt::format("{}/parameters/{}", prefix_, i);
      if (!seen.insert(config.name).second) {
        faults_.add(here + "/name", fmt::format("the parameter \"{}\" is configured twice", name(config.name)), "keep one entry for it");
        continue;
      }
      if (const std::uint32_t set = collection_.set_of_name[config.name]; set != kNoSet) apply(config, collection_.sets[set], here);
    }
    for (const ParameterSet& set : collection_.sets) {
      if (set.attributes.required && !seen.contains(set.name)) {
        faults_.add(prefix_ + "/parameters", fmt::format("the parameter \"{}\" has no settings", name(set.name)), fmt::format(R"(add {{"name": "{}", "auxdata": [1.0], "sigmas": [0.02], "bounds": [[0.5, 1.5]], "inits": [1.0]}})", name(set.name)));
      }
    }
    check_poi();
  }

 private:
  std::string_view name(NameId id) const { return workspace_.name(id); }

  void apply(const ParameterConfig& config, ParameterSet& set, const std::string& here) {
    if (set.attributes.required) {
      require(config.inits, "inits", set, here);
      require(config.bounds, "bounds", set, here);
      require(config.auxdata, "auxdata", set, here);
      require(config.sigmas, "sigmas", set, here);
    }
    assign(config.inits, set, set.init, true, here, "inits");
    if (assign(config.auxdata, set, set.center, set.attributes.auxdata, here, "auxdata") && set.constraint == Constraint::Poisson) {
      check_each(set.center, here + "/auxdata", "an auxiliary count cannot be negative", [](double x) { return x >= 0; });
    }
    if (assign(config.sigmas, set, set.width, set.attributes.sigmas, here, "sigmas")) {
      check_each(set.width, here + "/sigmas", "a sigma must be positive", [](double x) { return x > 0; });
    }
    if (assign(config.factors, set, set.width, set.attributes.factors, here, "factors")) {
      check_each(set.width, here + "/factors", "a factor must be positive", [](double x) { return x > 0; });
    }
    bounds(config, set, here);
    if (config.fixed) set.fixed.assign(set.size(), *config.fixed ? 1 : 0);
  }

  void require(const std::optional<NumberRange>& range, const char* key, const ParameterSet& set, const std::string& here) {
    if (!range) faults_.add(here, fmt::format("\"{}\" needs the key \"{}\": it has no default", name(set.name), key), fmt::format("add \"{}\"", key));
  }

  bool assign(const std::optional<NumberRange>& range, const ParameterSet& set, std::vector<double>& target, bool supported, const std::string& here, const char* key) {
    if (!range || !is_usable(*range)) return false;
    if (!supported) {
      faults_.add(here + "/" + key, fmt::format("\"{}\" is a {} and has no {}", name(set.name), modifier_kinds()[set.kind].type, key), fmt::format("remove \"{}\"", key));
      return false;
    }
    if (!length_fits(range->count, set, here, key)) return false;
    const auto values = workspace_.values(*range);
    target.assign(values.begin(), values.end());
    return true;
  }

  bool length_fits(std::size_t count, const ParameterSet& set, const std::string& here, const char* key) {
    if (count == set.size()) return true;
    faults_.add(here + "/" + key, fmt::format("{} values, but \"{}\" has {} component{}", count, name(set.name), set.size(), set.size() == 1 ? "" : "s"), "give one value per component");
    return false;
  }

  template <class Predicate>
  void check_each(const std::vector<double>& values, const std::string& here, const char* what, Predicate&& good) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!good(values[i])) faults_.add(fmt::format("{}/{}", here, i), fmt::format("{}, found {}", what, values[i]), "check this value");
    }
  }

  void bounds(const ParameterConfig& config, ParameterSet& set, const std::string& here) {
    if (!config.bounds || !is_usable(*config.bounds) || !length_fits(config.bounds->count / 2, set, here, "bounds")) return;
    const auto pairs = workspace_.values(*config.bounds);
    for (std::size_t i = 0; i < set.size(); ++i) {
      set.low[i] = pairs[2 * i];
      set.high[i] = pairs[2 * i + 1];
      if (!(set.low[i] <= set.high[i])) {
        faults_.add(fmt::format("{}/bounds/{}", here, i), fmt::format("the lower bound {} is above the upper bound {}", set.low[i], set.high[i]), "write [low, high]");
      }
    }
  }

  void check_poi() {
    const ParameterSet* set = collection_.find(measurement_.poi);
    if (set && set->size() != 1) {
      faults_.add(prefix_ + "/poi", fmt::format("the parameter of interest \"{}\" has {} components", name(set->name), set->size()), "choose a parameter with one component, such as a normfactor");
    }
  }

  const Workspace& workspace_;
  const WorkspaceMeasurement& measurement_;
  ParameterCollection& collection_;
  Faults& faults_;
  std::string prefix_;
};

}  // namespace

void configure_parameters(const Workspace& workspace, std::size_t measurement, ParameterCollection& collection, Faults& faults) {
  Configurator(workspace, measurement, collection, faults).run();
}

}  // namespace nextstat
