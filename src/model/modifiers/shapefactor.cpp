// shapefactor: a free factor per bin. nu_b gets phi_b; channels that share the name share phi_b by bin index.
#include "model/modifiers/modifier_kinds.h"

namespace nextstat {
namespace {

void open_shapefactor(ParameterSet& set, const ModifierUse& use) {
  for (std::size_t bin = 0; bin < use.nominal.size(); ++bin) open_factor(set, use);
}

}  // namespace

const ModifierKind kShapefactor{
    .type = "shapefactor",
    .shape = DataShape::Null,
    .scalar = false,
    .open = open_shapefactor,
    .terms = scale_each_bin,
};

}  // namespace nextstat
