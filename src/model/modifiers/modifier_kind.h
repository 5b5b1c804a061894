// What a modifier type is: one file per type in model/modifiers, one line in the table of modifier_kinds.cpp.
//
// A kind says how its "data" looks in JSON, which parameters it brings and with which constraint, and what it
// does to a sample, in terms of the four forms that the likelihood knows (TermSink). Everything else
// (reading, checking, parameter order, overrides, compilation, kernels, devices) follows from that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "model/modifiers/parameter_set.h"

namespace nextstat {

// How "data" is written in the workspace.
enum class DataShape {
  Null,          // null
  Numbers,       // [u0, u1, ...], one per bin
  LowHigh,       // {"lo": x, "hi": y}
  LowHighArrays  // {"lo_data": [...], "hi_data": [...]}, one per bin
};

// Whether the same name may stand on several samples.
enum class Sharing {
  Anywhere,   // one parameter set for all uses
  ByChannel,  // shared by the samples of a channel; further channels append their own parameters
  NotShared   // one use only
};

// One use of a modifier on a sample.
struct ModifierUse {
  std::span<const double> nominal;  // [bin] of the sample
  std::span<const double> first;    // [bin] uncertainties or lo_data, or {lo}
  std::span<const double> second;   // [bin] hi_data, or {hi}
  std::size_t channel = 0;          // rank of the channel
};

// The four ways in which a parameter can act on the rate of a sample. The sink knows the sample and the set.
//   nu_b = prod(scale) * prod(interpolated_scale) * prod(scale_bin at b) * (nominal_b + sum(shift at b))
class TermSink {
 public:
  virtual ~TermSink() = default;
  virtual void scale(std::size_t component) = 0;                                        // theta
  virtual void interpolated_scale(std::size_t component, double low, double high) = 0;  // normsys codes
  virtual void scale_bin(std::size_t bin, std::size_t component) = 0;                   // theta in one bin
  virtual void shift(const ModifierUse& use, std::size_t component) = 0;  // histosys codes, in every bin
};

// A kind names what sets it apart; the rest is as written here.
struct ModifierKind {
  std::string_view type;  // as written in the workspace: "normsys"
  DataShape shape;
  Sharing sharing = Sharing::Anywhere;
  bool scalar = true;  // one parameter `name`, else `name[0]`, `name[1]`, ...
  Constraint constraint = Constraint::None;
  std::string_view required_name = "";  // "" = any
  std::string_view family = "";  // kinds of one family may share a parameter by name ("" = with nobody)
  ConfigurableAttributes attributes = {};
  bool ordered_by_name = false;  // parameter sets stand in the order of names, else of first appearance

  // Called at the first use of a name, at every use, and once after the last: fill in the set's components.
  void (*open)(ParameterSet&, const ModifierUse&);
  void (*use)(ParameterSet&, const ModifierUse&) = [](ParameterSet&, const ModifierUse&) {};
  void (*close)(ParameterSet&) = [](ParameterSet&) {};
  // Emits the terms of one use.
  void (*terms)(const ParameterSet&, const ModifierUse&, TermSink&);
};

// All kinds, in the order in which pyhf groups parameters.
std::span<const ModifierKind> modifier_kinds();

}  // namespace nextstat
