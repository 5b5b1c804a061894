// shapesys: an uncorrelated uncertainty per bin of one sample. nu_b gets gamma_b; the auxiliary measurement:
//   Pois(tau_b | gamma_b tau_b),  tau_b = (nominal_b / uncertainty_b)^2
// A bin without nominal or uncertainty keeps its parameter, fixed, with tau = 1.
#include "model/modifiers/modifier_kinds.h"

namespace nextstat {
namespace {

void open_shapesys(ParameterSet& set, const ModifierUse& use) {
  for (std::size_t bin = 0; bin < use.nominal.size(); ++bin) {
    const double nominal = use.nominal[bin], uncertainty = use.first[bin];
    const bool valid = nominal > 0 && uncertainty > 0;
    const double tau = valid ? (nominal * nominal) / (uncertainty * uncertainty) : 1.0;
    set.components.push_back(
        {.init = 1.0, .low = 1e-10, .high = 10.0, .center = tau, .width = tau, .fixed = !valid});
  }
}

void shapesys_terms(const ParameterSet&, const ModifierUse& use, TermSink& sink) {
  for (std::size_t bin = 0; bin < use.nominal.size(); ++bin) sink.scale_bin(bin, bin);
}

}  // namespace

const ModifierKind kShapesys{
    .type = "shapesys",
    .shape = DataShape::Numbers,
    .sharing = Sharing::NotShared,
    .scalar = false,
    .constraint = Constraint::Poisson,
    .required_name = "",
    .family = "",
    .attributes = {.auxdata = true, .factors = true},
    .ordered_by_name = false,
    .open = open_shapesys,
    .use = no_further_use,
    .close = nothing_to_close,
    .terms = shapesys_terms,
};

}  // namespace nextstat
