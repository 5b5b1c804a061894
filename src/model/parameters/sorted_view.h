// A workspace in the order of parameters and data: channels, samples and modifiers sorted by name.
#pragma once

#include <nextstat/workspace.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace nextstat {

// Where an entry stands in the file, for messages.
std::string modifier_pointer(std::size_t channel, std::size_t sample, std::size_t modifier);

class SortedView {
 public:
  // channels: only these; empty = all.
  explicit SortedView(const Workspace& workspace, std::span<const std::string> channels = {});

  // Indices into Workspace::channels, samples and modifiers. What has no name is left out.
  std::span<const std::uint32_t> channels() const { return channels_; }
  std::span<const std::uint32_t> samples(std::size_t channel) const {
    return part(samples_, sample_parts_, channel);
  }
  // By name, then type. When a sample lists the same name and type twice, the last one counts, as in pyhf.
  std::span<const std::uint32_t> modifiers(std::size_t sample) const {
    return part(modifiers_, modifier_parts_, sample);
  }
  std::uint32_t rank(NameId id) const { return rank_[id]; }

 private:
  struct Part {
    std::uint32_t begin = 0, end = 0;
  };
  static std::span<const std::uint32_t> part(const std::vector<std::uint32_t>& all,
                                             const std::vector<Part>& parts, std::size_t which) {
    return std::span(all).subspan(parts[which].begin, parts[which].end - parts[which].begin);
  }

  void rank_names(std::span<const std::string> names);
  void sort_channels(const Workspace& workspace, std::span<const std::string> wanted);
  void sort_modifiers(const Workspace& workspace);
  void keep_last(std::span<const WorkspaceModifier> modifiers, Part& part);

  std::vector<std::uint32_t> rank_;  // [NameId] place among all names in order
  std::vector<std::uint32_t> channels_, samples_, modifiers_;
  std::vector<Part> sample_parts_, modifier_parts_;  // [channel], [sample]
};

}  // namespace nextstat
