// normfactor: a free factor on all bins. nu gets mu.
#include "model/modifiers/modifier_kinds.h"

namespace nextstat {

const ModifierKind kNormfactor{
    .type = "normfactor",
    .shape = DataShape::Null,
    .sharing = Sharing::Anywhere,
    .scalar = true,
    .constraint = Constraint::None,
    .required_name = "",
    .family = "",
    .attributes = {},
    .ordered_by_name = false,
    .open = open_factor,
    .use = no_further_use,
    .close = nothing_to_close,
    .terms = [](const ParameterSet&, const ModifierUse&, TermSink& sink) { sink.scale(0); },
};

}  // namespace nextstat
