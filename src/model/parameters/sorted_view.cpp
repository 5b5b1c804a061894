#include "model/parameters/sorted_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace nextstat {

std::string modifier_pointer(std::size_t channel, std::size_t sample, std::size_t modifier) {
  return fmt::format("/channels/{}/samples/{}/modifiers/{}", channel, sample, modifier);
}

SortedView::SortedView(const Workspace& workspace, std::span<const std::string> channels)
    : workspace_(workspace), rank_(workspace.names.size()) {
  std::vector<NameId> order(workspace.names.size());
  std::iota(order.begin(), order.end(), NameId{0});
  std::sort(order.begin(), order.end(),
            [&](NameId a, NameId b) { return workspace.names[a] < workspace.names[b]; });
  for (std::uint32_t place = 0; place < order.size(); ++place) rank_[order[place]] = place;
  for (std::size_t c = 0; c < workspace.channels.size(); ++c) {
    const NameId name = workspace.channels[c].name;
    if (name == kNoName) continue;
    const bool wanted = channels.empty() ||
                        std::find(channels.begin(), channels.end(), workspace.name(name)) != channels.end();
    if (wanted) channels_.push_back({c, c});
  }
  std::stable_sort(channels_.begin(), channels_.end(), [&](const Entry& a, const Entry& b) {
    return rank_[workspace_.channels[a.index].name] < rank_[workspace_.channels[b.index].name];
  });
}

std::vector<SortedView::Entry> SortedView::samples(std::size_t channel_index) const {
  const WorkspaceChannel& channel = workspace_.channels[channel_index];
  std::vector<Entry> entries;
  for (std::size_t s = 0; s < channel.samples_count; ++s) {
    if (workspace_.samples[channel.samples_begin + s].name != kNoName)
      entries.push_back({channel.samples_begin + s, s});
  }
  std::stable_sort(entries.begin(), entries.end(), [&](const Entry& a, const Entry& b) {
    return rank_[workspace_.samples[a.index].name] < rank_[workspace_.samples[b.index].name];
  });
  return entries;
}

void SortedView::modifiers(std::size_t sample_index, std::vector<Entry>& entries) const {
  const WorkspaceSample& sample = workspace_.samples[sample_index];
  entries.clear();
  for (std::size_t m = 0; m < sample.modifiers_count; ++m) {
    if (workspace_.modifiers[sample.modifiers_begin + m].name != kNoName)
      entries.push_back({sample.modifiers_begin + m, m});
  }
  const auto key = [&](const Entry& entry) {
    const WorkspaceModifier& modifier = workspace_.modifiers[entry.index];
    return (std::uint64_t{rank_[modifier.name]} << 32) | modifier.kind;
  };
  const auto by_key = [&](const Entry& a, const Entry& b) {
    return key(a) < key(b) || (key(a) == key(b) && a.index > b.index);
  };
  if (!std::is_sorted(entries.begin(), entries.end(), by_key))
    std::sort(entries.begin(), entries.end(), by_key);
  entries.erase(std::unique(entries.begin(), entries.end(),
                            [&](const Entry& a, const Entry& b) { return key(a) == key(b); }),
                entries.end());
}

}  // namespace nextstat
