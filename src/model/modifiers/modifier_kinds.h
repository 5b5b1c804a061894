// The modifier types, one file each. The table that lists them is in modifier_kinds.cpp.
#pragma once

#include "model/modifiers/modifier_kind.h"

namespace nextstat {

extern const ModifierKind kHistosys;
extern const ModifierKind kLumi;
extern const ModifierKind kNormfactor;
extern const ModifierKind kNormsys;
extern const ModifierKind kShapefactor;
extern const ModifierKind kShapesys;
extern const ModifierKind kStaterror;

// A free factor: starts at 1, between 0 and 10.
inline void open_factor(ParameterSet& set, const ModifierUse&) {
  set.components.push_back(
      {.init = 1.0, .low = 0.0, .high = 10.0, .center = 0.0, .width = 1.0, .fixed = false});
}

// A unit Gaussian around 0, between -5 and 5.
inline void open_unit_gaussian(ParameterSet& set, const ModifierUse&) {
  set.components.push_back(
      {.init = 0.0, .low = -5.0, .high = 5.0, .center = 0.0, .width = 1.0, .fixed = false});
}

// Each parameter scales its bin.
inline void scale_each_bin(const ParameterSet&, const ModifierUse& use, TermSink& sink) {
  for (std::size_t bin = 0; bin < use.nominal.size(); ++bin) sink.scale_bin(bin, bin);
}

// Kinds of this family share a parameter when they share a name.
inline constexpr std::string_view kUnitGaussian = "unit gaussian";

}  // namespace nextstat
