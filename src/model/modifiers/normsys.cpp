// normsys: multiplicative, the same in all bins. nu gets f(alpha), interpolated between lo, 1 and hi;
// alpha has a unit Gaussian constraint. The interpolation codes are in kernels/interpolation.h.
#include "model/modifiers/modifier_kinds.h"

namespace nextstat {

const ModifierKind kNormsys{
    .type = "normsys",
    .shape = DataShape::LowHigh,
    .constraint = Constraint::Normal,
    .family = kUnitGaussian,
    .attributes = {.auxdata = true},
    .open = open_unit_gaussian,
    .terms = [](const ParameterSet&, const ModifierUse& use,
                TermSink& sink) { sink.interpolated_scale(0, use.first[0], use.second[0]); },
};

}  // namespace nextstat
