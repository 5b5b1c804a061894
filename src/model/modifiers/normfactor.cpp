// normfactor: a free factor on all bins. nu gets mu.
#include "model/modifiers/modifier_kinds.h"

namespace nextstat {

const ModifierKind kNormfactor{
    .type = "normfactor",
    .shape = DataShape::Null,
    .open = open_factor,
    .terms = [](const ParameterSet&, const ModifierUse&, TermSink& sink) { sink.scale(0); },
};

}  // namespace nextstat
