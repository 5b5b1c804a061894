#include <algorithm>

#include "model/compiled_model.h"

namespace nextstat {
namespace {

constexpr std::uint32_t kNowhere = 0xFFFFFFFF, kManyPlaces = 0xFFFFFFFE;

// [parameter] the only bin that it acts in as a gamma; kManyPlaces for everything else that acts; kNowhere.
std::vector<std::uint32_t> only_bins(const CompiledModel& model) {
  std::vector<std::uint32_t> bin_of(model.n_parameters, kNowhere);
  for (const auto& term : model.norms) bin_of[term.parameter] = kManyPlaces;
  for (const auto& term : model.linears) bin_of[term.parameter] = kManyPlaces;
  for (const auto& term : model.factors) bin_of[term.parameter] = kManyPlaces;
  for (const auto& term : model.shifts) bin_of[term.parameter] = kManyPlaces;
  for (const CompiledModel::Sample& sample : model.samples) {
    for (std::uint32_t i = sample.gamma_begin; i < sample.gamma_end; ++i) {
      const std::uint32_t bin = sample.first_bin + model.gammas[i].cell - sample.first_cell;
      std::uint32_t& known = bin_of[model.gammas[i].parameter];
      known = known == kNowhere || known == bin ? bin : kManyPlaces;
    }
  }
  return bin_of;
}

class ChannelLister {
 public:
  explicit ChannelLister(CompiledModel& model) : m_(model), seen_in_(model.n_parameters, kNowhere) {}

  void list(std::uint32_t begin, std::uint32_t end) {
    CompiledModel::Channel channel{begin, end, m_.samples[begin].first_bin, m_.samples[begin].bins, {}};
    for (std::uint32_t s = begin; s < end; ++s) {
      const CompiledModel::Sample& sample = m_.samples[s];
      add(m_.norms, sample.norm_begin, sample.norm_end, channel);
      add(m_.linears, sample.linear_begin, sample.linear_end, channel);
      add(m_.factors, sample.factor_begin, sample.factor_end, channel);
      add(m_.shifts, sample.shift_begin, sample.shift_end, channel);
      add(m_.gammas, sample.gamma_begin, sample.gamma_end, channel);
    }
    std::sort(channel.globals.begin(), channel.globals.end());
    m_.channels.push_back(std::move(channel));
  }

 private:
  template <class Terms>
  void add(const Terms& terms, std::uint32_t begin, std::uint32_t end, CompiledModel::Channel& channel) {
    for (std::uint32_t i = begin; i < end; ++i) {
      const std::uint32_t parameter = terms[i].parameter;
      if (m_.is_local[parameter] || seen_in_[parameter] == channel.sample_begin) continue;
      seen_in_[parameter] = channel.sample_begin;
      channel.globals.push_back(parameter);
    }
  }

  CompiledModel& m_;
  std::vector<std::uint32_t> seen_in_;  // [parameter] first sample of the channel that lists it already
};

}  // namespace

void list_parameters(CompiledModel& model) {
  const std::vector<std::uint32_t> bin_of = only_bins(model);
  model.is_local.assign(model.n_parameters, 0);
  model.place.assign(model.n_parameters, 0);
  for (std::uint32_t parameter = 0; parameter < model.n_parameters; ++parameter) {
    if (bin_of[parameter] == kNowhere || bin_of[parameter] == kManyPlaces) {
      model.place[parameter] = static_cast<std::uint32_t>(model.globals.size());
      model.globals.push_back(parameter);
    } else {
      model.is_local[parameter] = 1;
      model.locals.push_back({parameter, bin_of[parameter]});
    }
  }
  std::stable_sort(model.locals.begin(), model.locals.end(),
                   [](const auto& a, const auto& b) { return a.bin < b.bin; });
  for (std::uint32_t i = 0; i < model.locals.size(); ++i) model.place[model.locals[i].parameter] = i;
  ChannelLister lister(model);
  for (std::uint32_t begin = 0; begin < model.samples.size();) {
    std::uint32_t end = begin;
    while (end < model.samples.size() && model.samples[end].channel == model.samples[begin].channel) ++end;
    lister.list(begin, end);
    begin = end;
  }
}

}  // namespace nextstat
