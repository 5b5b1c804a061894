#include "model/parameters/sorted_view.h"

#include <fmt/format.h>

#include <algorithm>

namespace nextstat {

std::string modifier_pointer(std::size_t channel, std::size_t sample, std::size_t modifier) {
  return fmt::format("/channels/{}/samples/{}/modifiers/{}", channel, sample, modifier);
}

SortedView::SortedView(const Workspace& workspace, std::span<const std::string> channels)
    : rank_(workspace.names.size()),
      sample_parts_(workspace.channels.size()),
      modifier_parts_(workspace.samples.size()) {
  rank_names(workspace.names);
  sort_channels(workspace, channels);
  sort_modifiers(workspace);
}

void SortedView::rank_names(std::span<const std::string> names) {
  struct Name {
    std::uint64_t head;  // the first eight letters, as a number of the same order
    NameId id;
  };
  std::vector<Name> order;
  order.reserve(rank_.size());
  for (NameId id = 0; id < rank_.size(); ++id) {
    std::uint64_t head = 0;
    for (std::size_t i = 0; i < 8; ++i)
      head = head << 8 | (i < names[id].size() ? static_cast<unsigned char>(names[id][i]) : 0);
    order.push_back({head, id});
  }
  std::sort(order.begin(), order.end(), [&](const Name& a, const Name& b) {
    return a.head != b.head ? a.head < b.head : names[a.id] < names[b.id];
  });
  for (std::uint32_t place = 0; place < order.size(); ++place) rank_[order[place].id] = place;
}

void SortedView::sort_channels(const Workspace& workspace, std::span<const std::string> wanted) {
  const auto by_rank = [&](const auto& items) {
    return [&](std::uint32_t a, std::uint32_t b) { return rank_[items[a].name] < rank_[items[b].name]; };
  };
  for (std::uint32_t c = 0; c < workspace.channels.size(); ++c) {
    const WorkspaceChannel& channel = workspace.channels[c];
    const auto begin = static_cast<std::uint32_t>(samples_.size());
    for (std::size_t s = channel.samples_begin; s < channel.samples_begin + channel.samples_count; ++s) {
      if (workspace.samples[s].name != kNoName) samples_.push_back(static_cast<std::uint32_t>(s));
    }
    std::stable_sort(samples_.begin() + begin, samples_.end(), by_rank(workspace.samples));
    sample_parts_[c] = {begin, static_cast<std::uint32_t>(samples_.size())};
    if (channel.name == kNoName) continue;
    if (wanted.empty() ||
        std::find(wanted.begin(), wanted.end(), workspace.name(channel.name)) != wanted.end())
      channels_.push_back(c);
  }
  std::stable_sort(channels_.begin(), channels_.end(), by_rank(workspace.channels));
}

// All modifiers by the rank of their names, counted out; then each to its sample.
void SortedView::sort_modifiers(const Workspace& workspace) {
  const auto& modifiers = workspace.modifiers;
  std::vector<std::uint32_t> next(rank_.size() + 1), by_rank(modifiers.size()), owner(modifiers.size());
  for (const WorkspaceModifier& modifier : modifiers) {
    if (modifier.name != kNoName) ++next[rank_[modifier.name] + 1];
  }
  for (std::size_t rank = 0; rank < rank_.size(); ++rank) next[rank + 1] += next[rank];
  const std::size_t named = next.back();
  std::uint32_t size = 0;
  for (std::uint32_t s = 0; s < workspace.samples.size(); ++s) {
    const WorkspaceSample& sample = workspace.samples[s];
    modifier_parts_[s] = {size, size};
    for (std::size_t m = sample.modifiers_begin; m < sample.modifiers_begin + sample.modifiers_count; ++m) {
      owner[m] = s;
      if (modifiers[m].name == kNoName) continue;
      by_rank[next[rank_[modifiers[m].name]]++] = static_cast<std::uint32_t>(m);
      ++size;
    }
  }
  modifiers_.resize(size);
  for (std::size_t i = 0; i < named; ++i) modifiers_[modifier_parts_[owner[by_rank[i]]].end++] = by_rank[i];
  for (Part& part : modifier_parts_) keep_last(modifiers, part);
}

// Several modifiers of one name: by type, and of one type the last.
void SortedView::keep_last(std::span<const WorkspaceModifier> modifiers, Part& part) {
  const auto name = [&](std::uint32_t m) { return modifiers[m].name; };
  std::uint32_t kept = part.begin;
  for (std::uint32_t i = part.begin, end; i < part.end; i = end) {
    for (end = i + 1; end < part.end && name(modifiers_[end]) == name(modifiers_[i]);) ++end;
    if (end == i + 1) {
      modifiers_[kept++] = modifiers_[i];
      continue;
    }
    const auto first = modifiers_.begin() + i, last = modifiers_.begin() + end;
    std::sort(first, last, [&](std::uint32_t a, std::uint32_t b) {
      return modifiers[a].kind != modifiers[b].kind ? modifiers[a].kind < modifiers[b].kind : a > b;
    });
    for (auto at = first; at != last; ++at) {
      if (at == first || modifiers[*at].kind != modifiers[modifiers_[kept - 1]].kind)
        modifiers_[kept++] = *at;
    }
  }
  part.end = kept;
}

}  // namespace nextstat
