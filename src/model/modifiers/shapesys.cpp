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

}  // namespace

const ModifierKind kShapesys{
    .type = "shapesys",
    .shape = DataShape::Numbers,
    .sharing = Sharing::NotShared,
    .scalar = false,
    .constraint = Constraint::Poisson,
    .attributes = {.auxdata = true, .factors = true},
    .open = open_shapesys,
    .terms = scale_each_bin,
};

}  // namespace nextstat
