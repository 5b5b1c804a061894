// Helpers for modifiers with one parameter.
#pragma once

#include "model/modifier_kind.h"

namespace nextstat {

inline void no_further_use(ParameterSet&, const ModifierUse&) {}
inline void nothing_to_close(ParameterSet&) {}

// A free factor: starts at 1, between 0 and 10.
inline void open_factor(ParameterSet& set, const ModifierUse&) {
  set.add_component(1.0, 0.0, 10.0, 0.0, 1.0, false);
}

// A unit Gaussian around 0, between -5 and 5.
inline void open_unit_gaussian(ParameterSet& set, const ModifierUse&) {
  set.add_component(0.0, -5.0, 5.0, 0.0, 1.0, false);
}

// Kinds of this family share a parameter when they share a name.
inline constexpr std::string_view kUnitGaussian = "unit gaussian";

}  // namespace nextstat
