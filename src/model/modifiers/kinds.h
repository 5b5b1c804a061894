// The modifier types, one file each. The table that lists them is in modifier_kinds.cpp.
#pragma once

#include "model/modifier_kind.h"

namespace nextstat {

extern const ModifierKind kHistosys;
extern const ModifierKind kLumi;
extern const ModifierKind kNormfactor;
extern const ModifierKind kNormsys;
extern const ModifierKind kShapefactor;
extern const ModifierKind kShapesys;
extern const ModifierKind kStaterror;

}  // namespace nextstat
