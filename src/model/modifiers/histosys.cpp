// histosys: additive, correlated over bins. nu_b gets delta_b(alpha), interpolated between lo_data, nominal
// and hi_data; alpha has a unit Gaussian constraint. The interpolation codes are in kernels/interpolation.h.
#include "model/modifiers/modifier_kinds.h"

namespace nextstat {
const ModifierKind kHistosys{
    .type = "histosys",
    .shape = DataShape::LowHighArrays,
    .constraint = Constraint::Normal,
    .family = kUnitGaussian,
    .attributes = {.auxdata = true},
    .open = open_unit_gaussian,
    .terms = [](const ParameterSet&, const ModifierUse& use, TermSink& sink) { sink.shift(use, 0); },
};

}  // namespace nextstat
