#include <nextstat/regions.h>

#include <fmt/format.h>
#include <nextstat/evaluate.h>

#include <algorithm>
#include <unordered_map>

#include "base/try.h"

namespace nextstat {
namespace {

// The same for the same parameter in every model of a workspace.
std::string identity(const Parameter& parameter) {
  if (parameter.channel.empty()) return parameter.name;
  return fmt::format("{}\n{}\n{}", parameter.set, parameter.channel, parameter.bin);
}

}  // namespace

std::vector<double> carry_over(const Model& from, std::span<const double> values, const Model& to) {
  std::unordered_map<std::string, double> known;
  for (std::size_t i = 0; i < from.n_parameters(); ++i)
    known.emplace(identity(from.parameters()[i]), values[i]);
  std::vector<double> carried = to.initial();
  for (std::size_t i = 0; i < carried.size(); ++i) {
    const auto found = known.find(identity(to.parameters()[i]));
    if (found != known.end()) carried[i] = found->second;
  }
  return carried;
}

Result<std::vector<RegionCounts>> region_counts(const Model& model, std::span<const double> parameters,
                                                std::span<const double> data,
                                                std::span<const std::string> channels) {
  TRY(const Evaluation at, evaluate(model, parameters, {.expected = true, .data = data}));
  const std::span<const double> observed = data.empty() ? model.data() : data;
  std::vector<RegionCounts> regions;
  for (const ChannelInfo& channel : model.channels()) {
    if (std::find(channels.begin(), channels.end(), channel.name) == channels.end()) continue;
    const auto bins = [&](std::span<const double> values) {
      const auto part = values.subspan(channel.first_bin, channel.bins);
      return std::vector<double>(part.begin(), part.end());
    };
    regions.push_back({channel.name, bins(observed), bins(at.expected)});
  }
  return regions;
}

}  // namespace nextstat
