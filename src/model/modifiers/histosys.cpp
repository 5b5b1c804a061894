// histosys: additive, correlated over bins. nu_b gets delta_b(alpha), interpolated between lo_data, nominal
// and hi_data; alpha has a unit Gaussian constraint. The interpolation codes are in kernels/interpolation.h.
#include "model/modifiers/modifier_kinds.h"

namespace nextstat {
namespace {

void histosys_terms(const ParameterSet&, const ModifierUse& use, TermSink& sink) {
  for (std::size_t bin = 0; bin < use.nominal.size(); ++bin) {
    sink.shift(bin, 0, use.second[bin] - use.nominal[bin], use.nominal[bin] - use.first[bin]);
  }
}

}  // namespace

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
    .terms = histosys_terms,
};

}  // namespace nextstat
