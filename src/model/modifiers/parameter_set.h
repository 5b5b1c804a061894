// The parameters that one name brings: one for a scalar modifier, one per bin otherwise.
#pragma once

#include <nextstat/model.h>
#include <nextstat/workspace.h>

#include <cstdint>
#include <vector>

namespace nextstat {

// A range whose numbers could not be read. Later checks pass over it: its fault is already listed.
constexpr std::size_t kBroken = static_cast<std::size_t>(-1);
inline bool is_usable(const NumberRange& range) { return range.count != kBroken; }
// The kind of a modifier whose type is not known.
constexpr std::uint32_t kUnknownKind = 0xffffffffu;

// Which attributes a measurement may set for parameters of a kind (inits, bounds and fixed: always).
struct ConfigurableAttributes {
  bool auxdata = false, sigmas = false, factors = false;
  bool required = false;  // lumi: inits, bounds, auxdata and sigmas have no defaults
};

struct ParameterSet {
  std::uint32_t name = 0;  // NameId
  std::uint32_t kind = 0;  // of the first modifier that brought it, in the order of the kinds
  bool scalar = true;
  bool complete = true;  // false: a use has a fault, so the size is not known (never in a model)
  Constraint constraint = Constraint::None;
  ConfigurableAttributes attributes;
  std::size_t first_index = 0;  // flat index of component 0

  struct Component {
    double init, low, high;
    double center, width;  // the auxiliary datum; sigma (normal) or tau (poisson)
    bool fixed;
  };
  std::vector<Component> components;

  // Per-bin kinds that append per channel: where a channel's components begin. Sorted by channel.
  struct ChannelSlice {
    std::size_t channel, begin;
    std::vector<double> nominal, squared_uncertainty;  // sums over the samples that carry the modifier
    std::vector<std::uint32_t> samples;  // NameIds of those samples, in the order of their names
  };
  std::vector<ChannelSlice> slices;

  std::size_t size() const { return components.size(); }
};

}  // namespace nextstat
