// histosys: additive, correlated over bins. nu_b gets delta_b(alpha), interpolated between lo_data, nominal
// and hi_data; alpha has a unit Gaussian constraint. The interpolation codes are in kernels/interpolation.h.
#include "model/modifiers/modifier_kinds.h"

namespace nextstat {
const ModifierKind kHistosys{
    .type = "histosys",
    .shape = DataShape::LowHighArrays,
    .sharing = Sharing::Anywhere,
    .scalar = true,
    .constraint = Constraint::Normal,
    .required_name = "",
    .family = kUnitGaussian,
    .attributes = {.auxdata = true},
    .ordered_by_name = false,
    .open = open_unit_gaussian,
    .use = no_further_use,
    .close = nothing_to_close,
    .terms = [](const ParameterSet&, const ModifierUse& use, TermSink& sink) { sink.shift(use, 0); },
};

}  // namespace nextstat
