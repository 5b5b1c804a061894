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

  struct Entry {
    std::size_t index;     // in Workspace::channels, samples or modifiers
    std::size_t position;  // in the file's array, for pointers
  };

  const std::vector<Entry>& channels() const { return channels_; }
  std::vector<Entry> samples(std::size_t channel_index) const;
  // By name, then type. When a sample lists the same name and type twice, the last one counts, as in pyhf.
  void modifiers(std::size_t sample_index, std::vector<Entry>& entries) const;
  std::uint32_t rank(NameId id) const { return rank_[id]; }

 private:
  const Workspace& workspace_;
  std::vector<std::uint32_t> rank_;  // [NameId] place among all names in order
  std::vector<Entry> channels_;
};

}  // namespace nextstat
