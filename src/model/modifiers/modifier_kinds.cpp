#include <array>

#include "model/modifiers/modifier_kinds.h"

namespace nextstat {

std::span<const ModifierKind> modifier_kinds() {
  // The order is pyhf's grouping of parameters. A new kind is one line here.
  static const std::array kinds{
      kHistosys, kLumi, kNormfactor, kNormsys, kShapefactor, kShapesys, kStaterror,
  };
  return kinds;
}

}  // namespace nextstat
