#include "model/parameters/parameter_collection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace nextstat {
namespace {

struct UsePlace {
  std::size_t channel, sample, modifier;  // positions in the file
};

class Collector {
 public:
  Collector(const Workspace& workspace, const SortedView& view, Faults& faults)
      : workspace_(workspace),
        view_(view),
        faults_(faults),
        draft_of_name_(workspace.names.size(), kNoSet),
        kinds_of_name_(workspace.names.size(), 0),
        order_(kinds_.size()) {}

  ParameterCollection run() {
    for (std::size_t rank = 0; rank < view_.channels().size(); ++rank) {
      const std::uint32_t c = view_.channels()[rank];
      const WorkspaceChannel& channel = workspace_.channels[c];
      bins_ = bins_of(channel);
      for (const std::uint32_t s : view_.samples(c)) {
        const WorkspaceSample& sample = workspace_.samples[s];
        for (const std::uint32_t m : view_.modifiers(s)) {
          add(sample, workspace_.modifiers[m], rank,
              {c, s - channel.samples_begin, m - sample.modifiers_begin});
        }
      }
    }
    for (const NameId name : incomplete_) {
      if (draft_of_name_[name] != kNoSet) drafts_[draft_of_name_[name]].complete = false;
    }
    for (std::size_t draft = 0; draft < drafts_.size(); ++draft) {
      close(drafts_[draft]);
      check_widths(drafts_[draft], first_uses_[draft]);
    }
    return ordered();
  }

 private:
  // Of the first sample that has any; a sample with another number is a fault listed elsewhere.
  std::size_t bins_of(const WorkspaceChannel& channel) const {
    for (std::size_t s = 0; s < channel.samples_count; ++s) {
      const NumberRange& data = workspace_.samples[channel.samples_begin + s].data;
      if (is_usable(data)) return data.count;
    }
    return 0;
  }

  void add(const WorkspaceSample& sample, const WorkspaceModifier& modifier, std::size_t channel,
           const UsePlace& place) {
    if (modifier.kind == kUnknownKind) return;
    const ModifierKind& kind = kinds_[modifier.kind];
    if (sample.data.count != bins_ || !modifier_fits(kind.shape, bins_, modifier)) {
      incomplete_.push_back(modifier.name);
      return;
    }
    const std::uint32_t bit = 1u << modifier.kind;
    std::uint32_t& draft = draft_of_name_[modifier.name];
    std::uint32_t& kinds = kinds_of_name_[modifier.name];
    if ((kinds & bit) && kind.scalar && kind.sharing == Sharing::Anywhere)
      return;  // nothing new, and most are of this sort
    const ModifierUse use = modifier_use(workspace_, sample, modifier, channel);
    if (draft == kNoSet) {
      draft = static_cast<std::uint32_t>(drafts_.size());
      first_uses_.push_back(place);
      ParameterSet& set = drafts_.emplace_back();
      set.name = modifier.name;
      set.kind = modifier.kind;
      set.scalar = kind.scalar;
      set.constraint = kind.constraint;
      set.attributes = kind.attributes;
      kind.open(set, use);
    } else if (!may_share(drafts_[draft], kind, modifier, place)) {
      return;
    } else {
      reuse(drafts_[draft], kind, use, place);
    }
    if (!(kinds & bit)) order_[modifier.kind].push_back(draft);
    kinds |= bit;
    drafts_[draft].kind = std::min(drafts_[draft].kind, modifier.kind);
    if (kind.sharing == Sharing::ByChannel) drafts_[draft].slices.back().samples.push_back(sample.name);
  }

  bool may_share(const ParameterSet& set, const ModifierKind& kind, const WorkspaceModifier& modifier,
                 const UsePlace& place) {
    const ModifierKind& other = kinds_[set.kind];
    const bool same_kind = &other == &kind;
    if (same_kind ? kind.sharing != Sharing::NotShared
                  : (!kind.family.empty() && kind.family == other.family))
      return true;
    const std::string pointer = modifier_pointer(place.channel, place.sample, place.modifier) + "/name";
    const std::string_view name = workspace_.name(modifier.name);
    if (same_kind) {
      faults_.add(pointer, fmt::format("the {} \"{}\" is already used by another sample", kind.type, name),
                  fmt::format("a {} belongs to one sample: give this one its own name", kind.type));
    } else {
      faults_.add(pointer, fmt::format("\"{}\" is a {} here and a {} elsewhere", name, kind.type, other.type),
                  "only normsys and histosys may share a parameter: use another name");
    }
    return false;
  }

  void reuse(ParameterSet& set, const ModifierKind& kind, const ModifierUse& use, const UsePlace& place) {
    if (!kind.scalar && kind.sharing == Sharing::Anywhere && use.nominal.size() > set.size()) {
      faults_.add(
          modifier_pointer(place.channel, place.sample, place.modifier),
          fmt::format("the {} \"{}\" has {} bins in an earlier channel and {} here", kind.type,
                      workspace_.name(set.name), set.size(), use.nominal.size()),
          "channels that share it need the same binning; the one with most bins must come first by name");
      return;
    }
    kind.use(set, use);
  }

  void close(ParameterSet& set) {
    kinds_[set.kind].close(set);
    for (const ParameterSet::ChannelSlice& slice : set.slices) {
      if (!set.complete || slice.samples == set.slices.front().samples) continue;
      const std::size_t position = view_.channels()[slice.channel];
      faults_.add(
          fmt::format("/channels/{}", position),
          fmt::format("the {} \"{}\" is on different samples here than in the first channel that uses it",
                      kinds_[set.kind].type, workspace_.name(set.name)),
          "put it on the same samples in every channel, or use one name per channel");
    }
  }

  // Uncertainties and yields that are each a number can have a ratio that is none.
  void check_widths(const ParameterSet& set, const UsePlace& first_use) {
    if (set.constraint == Constraint::None) return;
    for (std::size_t i = 0; i < set.size(); ++i) {
      if (set.components[i].width > 0 && std::isfinite(set.components[i].width) &&
          std::isfinite(set.components[i].center))
        continue;
      const auto slice =
          std::find_if(set.slices.rbegin(), set.slices.rend(), [&](const auto& s) { return s.begin <= i; });
      const bool sliced = slice != set.slices.rend();
      const std::string pointer =
          sliced ? fmt::format("/channels/{}", view_.channels()[slice->channel])
                 : modifier_pointer(first_use.channel, first_use.sample, first_use.modifier) +
                       fmt::format("/data/{}", i);
      faults_.add(
          pointer,
          fmt::format("the {} \"{}\" cannot be used in bin {}: its uncertainty is too large or too "
                      "small for the yield",
                      kinds_[set.kind].type, workspace_.name(set.name), sliced ? i - slice->begin : i),
          "check the yield and the uncertainty of this bin");
    }
  }

  ParameterCollection ordered() {
    ParameterCollection collection;
    collection.set_of_name.assign(workspace_.names.size(), kNoSet);
    for (std::size_t k = 0; k < order_.size(); ++k) {
      if (kinds_[k].ordered_by_name) {
        std::sort(order_[k].begin(), order_[k].end(), [&](std::uint32_t a, std::uint32_t b) {
          return view_.rank(drafts_[a].name) < view_.rank(drafts_[b].name);
        });
      }
      for (std::uint32_t draft : order_[k]) {
        std::uint32_t& place = collection.set_of_name[drafts_[draft].name];
        if (place != kNoSet) continue;  // a histosys brought it already
        place = static_cast<std::uint32_t>(collection.sets.size());
        collection.sets.push_back(std::move(drafts_[draft]));
        collection.sets.back().first_index = collection.size;
        collection.size += collection.sets.back().size();
        if (collection.sets.back().attributes.required) collection.sets_to_configure.push_back(place);
      }
    }
    return collection;
  }

  const std::span<const ModifierKind> kinds_ = modifier_kinds();
  const Workspace& workspace_;
  const SortedView& view_;
  Faults& faults_;
  std::vector<ParameterSet> drafts_;
  std::vector<UsePlace> first_uses_;  // [draft]
  std::vector<std::uint32_t> draft_of_name_, kinds_of_name_;
  std::size_t bins_ = 0;                           // of the channel at hand
  std::vector<NameId> incomplete_;                 // names with a use that has a fault
  std::vector<std::vector<std::uint32_t>> order_;  // [kind] drafts by first appearance
};

}  // namespace

ParameterCollection collect_parameters(const Workspace& workspace, const SortedView& view, Faults& faults) {
  return Collector(workspace, view, faults).run();
}

}  // namespace nextstat
