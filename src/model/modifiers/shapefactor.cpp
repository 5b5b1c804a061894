// shapefactor: a free factor per bin. nu_b gets phi_b; channels that share the name share phi_b by bin index.
#include "model/modifiers/modifier_kinds.h"

namespace nextstat {
namespace {

void open_shapefactor(ParameterSet& set, const ModifierUse& use) {
  for (std::size_t bin = 0; bin < use.nominal.size(); ++bin) open_factor(set, use);
}

void shapefactor_terms(const ParameterSet&, const ModifierUse& use, TermSink& sink) {
  for (std::size_t bin = 0; bin < use.nominal.size(); ++bin) sink.scale_bin(bin, bin);
}

}  // namespace

const ModifierKind kShapefactor{
    .type = "shapefactor",
    .shape = DataShape::Null,
    .sharing = Sharing::Anywhere,
    .scalar = false,
    .constraint = Constraint::None,
    .required_name = "",
    .family = "",
    .attributes = {},
    .ordered_by_name = false,
    .open = open_shapefactor,
    .use = no_further_use,
    .close = nothing_to_close,
    .terms = shapefactor_terms,
};

}  // namespace nextstat
