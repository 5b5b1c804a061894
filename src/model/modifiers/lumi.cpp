// lumi: the luminosity, a factor with a Gaussian constraint whose center and width the measurement must give.
#include "model/modifiers/modifier_kinds.h"

namespace nextstat {

const ModifierKind kLumi{
    .type = "lumi",
    .shape = DataShape::Null,
    .constraint = Constraint::Normal,
    .required_name = "lumi",
    .attributes = {.auxdata = true, .sigmas = true, .required = true},
    .open =
        [](ParameterSet& set, const ModifierUse&) {
          set.components.push_back(
              {.init = 1.0, .low = 0.0, .high = 10.0, .center = 1.0, .width = 1.0, .fixed = false});
        },
    .terms = [](const ParameterSet&, const ModifierUse&, TermSink& sink) { sink.scale(0); },
};

}  // namespace nextstat
