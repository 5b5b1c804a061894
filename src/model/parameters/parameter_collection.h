// The parameters of a workspace, in pyhf's order, and what a measurement changes about them.
#pragma once

#include <nextstat/workspace.h>

#include <vector>

#include "base/json/fault_list.h"
#include "model/modifiers/modifier_kind.h"
#include "model/modifiers/parameter_set.h"
#include "model/parameters/sorted_view.h"

namespace nextstat {

constexpr std::uint32_t kNoSet = 0xffffffffu;

struct ParameterCollection {
  std::vector<ParameterSet> sets;                // in the order of the flat parameters
  std::vector<std::uint32_t> set_of_name;        // [NameId] -> index into sets, or kNoSet
  std::size_t size = 0;                          // flat parameters
  std::vector<std::uint32_t> sets_to_configure;  // those that every measurement must give settings for

  const ParameterSet* find(NameId name) const {
    return name == kNoName || set_of_name[name] == kNoSet ? nullptr : &sets[set_of_name[name]];
  }
};

// Whether a modifier has the numbers that a sample with so many bins asks for (a fault listed elsewhere if not).
inline bool modifier_fits(DataShape shape, std::size_t bins, const WorkspaceModifier& modifier) {
  const std::size_t each = shape == DataShape::LowHigh ? 1 : bins;
  if (bins == 0 || shape == DataShape::Null) return bins > 0;
  return modifier.first.count == each && (shape == DataShape::Numbers || modifier.second.count == each);
}

// One use of a modifier that fits.
inline ModifierUse modifier_use(const Workspace& workspace, const WorkspaceSample& sample,
                                const WorkspaceModifier& modifier, std::size_t channel) {
  const auto span = [&](const NumberRange& range) {
    return is_usable(range) ? workspace.values(range) : std::span<const double>();
  };
  return {span(sample.data), span(modifier.first), span(modifier.second), channel};
}

// Walks channels, samples and modifiers in order. Faults: a name used by two kinds that cannot share it, a
// second use of a modifier that is not shareable, uneven coverage.
ParameterCollection collect_parameters(const Workspace& workspace, const SortedView& view, Faults& faults);

// Checks what a measurement says about parameters. Faults: wrong lengths, attributes that the kind lacks,
// repeated entries, missing lumi settings (unless some of it could not be read), impossible values,
// a POI with several components.
void check_measurement(const Workspace& workspace, std::size_t measurement,
                       const ParameterCollection& collection, Faults& faults, bool all_read = true);

// Applies a checked measurement's overrides to the collection.
void configure_parameters(const Workspace& workspace, std::size_t measurement,
                          ParameterCollection& collection);

}  // namespace nextstat
