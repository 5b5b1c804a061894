// staterror: the statistical uncertainty of the sum of the samples that carry it, per bin. nu_b of each of
// them gets gamma_b with a Gaussian constraint of mean 1 and
//   sigma_b = sqrt(sum_s uncertainty_sb^2) / sum_s nominal_sb
// Channels that use the same name append their own parameters. A bin with sum <= 0 or sigma = 0 has a fixed
// gamma and sigma = 1.
#include <algorithm>
#include <cmath>

#include "model/modifiers/modifier_kinds.h"

namespace nextstat {
namespace {

void use_channel(ParameterSet& set, const ModifierUse& use) {
  if (set.slices.empty() || set.slices.back().channel != use.channel) {
    set.slices.push_back({use.channel,
                          set.size(),
                          std::vector<double>(use.nominal.size()),
                          std::vector<double>(use.nominal.size()),
                          {}});
    for (std::size_t bin = 0; bin < use.nominal.size(); ++bin)
      set.components.push_back(
          {.init = 1.0, .low = 1e-10, .high = 10.0, .center = 1.0, .width = 1.0, .fixed = true});
  }
  ParameterSet::ChannelSlice& slice = set.slices.back();
  for (std::size_t bin = 0; bin < use.nominal.size(); ++bin) {
    slice.nominal[bin] += use.nominal[bin];
    slice.squared_uncertainty[bin] += use.first[bin] * use.first[bin];
  }
}

void close_staterror(ParameterSet& set) {
  for (const ParameterSet::ChannelSlice& slice : set.slices) {
    for (std::size_t bin = 0; bin < slice.nominal.size(); ++bin) {
      const double sum = slice.nominal[bin];
      const double sigma = sum > 0 ? std::sqrt(slice.squared_uncertainty[bin]) / sum : 0.0;
      set.components[slice.begin + bin].fixed = sigma == 0;
      set.components[slice.begin + bin].width = sigma == 0 ? 1.0 : sigma;
    }
  }
}

void staterror_terms(const ParameterSet& set, const ModifierUse& use, TermSink& sink) {
  const auto slice = std::lower_bound(set.slices.begin(), set.slices.end(), use.channel,
                                      [](const auto& s, std::size_t channel) { return s.channel < channel; });
  for (std::size_t bin = 0; bin < use.nominal.size(); ++bin) sink.scale_bin(bin, slice->begin + bin);
}

}  // namespace

const ModifierKind kStaterror{
    .type = "staterror",
    .shape = DataShape::Numbers,
    .sharing = Sharing::ByChannel,
    .scalar = false,
    .constraint = Constraint::Normal,
    .attributes = {.auxdata = true, .sigmas = true},
    .ordered_by_name = true,
    .open = use_channel,
    .use = use_channel,
    .close = close_staterror,
    .terms = staterror_terms,
};

}  // namespace nextstat
