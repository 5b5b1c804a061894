#include "bench/generated_workspace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <span>
#include <stdexcept>
#include <vector>

namespace nextstat::cli {
namespace {

// Uniform and normal numbers that are the same with every standard library (splitmix64, Box and Muller).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  double uniform() {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  std::uint64_t state_;
};

class Generator {
 public:
  explicit Generator(const GeneratedShape& shape) : shape_(shape), random_(shape.seed) {
    for (std::size_t i = 0; i < shape.samples * (shape.normsys + shape.histosys); ++i)
      truth_.push_back(0.7 * random_.normal());
  }

  std::string text() {
    append("{{\"channels\":[");
    for (std::size_t channel = 0; channel < shape_.channels; ++channel) add_channel(channel);
    append("],\"observations\":[{}],", observations_);
    append(
        "\"measurements\":[{{\"name\":\"generated\",\"config\":{{\"poi\":\"mu\",\"parameters\":"
        "[{{\"name\":\"mu\",\"inits\":[1],\"bounds\":[[0,10]]}}]}}}}],\"version\":\"1.0.0\"}}\n");
    return std::move(text_);
  }

 private:
  template <class... Arguments>
  void append(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
  }

  // Written short: what counts is the number of numbers, not their digits.
  void add_numbers(std::span<const double> values) {
    text_ += '[';
    for (std::size_t i = 0; i < values.size(); ++i) append("{}{:.6g}", i ? "," : "", values[i]);
    text_ += ']';
  }

  void add_channel(std::size_t channel) {
    total_.assign(shape_.bins, 0.0);
    append("{}{{\"name\":\"channel_{}\",\"samples\":[", channel ? "," : "", channel);
    for (std::size_t sample = 0; sample < shape_.samples; ++sample) add_sample(channel, sample);
    append("]}}");
    for (double& count : total_)
      count = std::max(0.0, std::round(count + std::sqrt(count) * random_.normal()));
    fmt::format_to(std::back_inserter(observations_), "{}{{\"name\":\"channel_{}\",\"data\":[{:.0f}]}}",
                   channel ? "," : "", channel, fmt::join(total_, ","));
  }

  // A falling spectrum; the first sample, the signal, is a peak.
  void set_nominal(std::size_t sample) {
    const double yield = 100.0 * static_cast<double>(shape_.bins) / static_cast<double>(1 + sample);
    const double place = 0.3 + 0.4 * random_.uniform(), fall = 1 + 2 * random_.uniform();
    nominal_.resize(shape_.bins);
    for (std::size_t bin = 0; bin < shape_.bins; ++bin) {
      const double x = (static_cast<double>(bin) + 0.5) / static_cast<double>(shape_.bins);
      const double shape = sample ? fall * std::exp(-fall * x) : std::exp(-50 * (x - place) * (x - place));
      nominal_[bin] = (yield / static_cast<double>(shape_.bins)) * (0.02 + (sample ? shape : 0.3 * shape));
    }
  }

  void add_sample(std::size_t channel, std::size_t sample) {
    set_nominal(sample);
    rate_ = nominal_;
    factor_ = 1;
    append("{}{{\"name\":\"sample_{}\",\"data\":", sample ? "," : "", sample);
    add_numbers(nominal_);
    append(",\"modifiers\":[");
    const std::size_t first = text_.size();
    if (sample == 0) append(",{{\"name\":\"mu\",\"type\":\"normfactor\",\"data\":null}}");
    for (std::size_t i = 0; i < shape_.normsys; ++i) add_normsys(sample, i);
    for (std::size_t i = 0; i < shape_.histosys; ++i) add_histosys(sample, i);
    if (channel < shape_.staterror_channels) add_staterror(channel);
    if (text_.size() > first) text_.erase(first, 1);  // the comma before the first modifier
    append("]}}");
    for (std::size_t bin = 0; bin < shape_.bins; ++bin) total_[bin] += std::max(0.0, factor_ * rate_[bin]);
  }

  double truth(std::size_t sample, std::size_t index) const {
    return truth_[sample * (shape_.normsys + shape_.histosys) + index];
  }

  void add_normsys(std::size_t sample, std::size_t index) {
    const double size = (0.01 + 0.04 * random_.uniform()) / std::sqrt(static_cast<double>(1 + index));
    append(",{{\"name\":\"norm_{}_{}\",\"type\":\"normsys\",\"data\":{{\"hi\":{:.6g},\"lo\":{:.6g}}}}}",
           sample, index, 1 + size, 1 / (1 + size));
    factor_ *= std::pow(1 + size, truth(sample, index));
  }

  // A wave over the bins, with a phase and a length of its own.
  void add_histosys(std::size_t sample, std::size_t index) {
    const double size = 0.05 * random_.normal() / std::sqrt(static_cast<double>(1 + index));
    const double phase = 2 * std::numbers::pi * random_.uniform(), asymmetry = 0.8 + 0.4 * random_.uniform();
    const double turn = (1 + 4 * random_.uniform()) / static_cast<double>(shape_.bins);
    high_.resize(shape_.bins);
    low_.resize(shape_.bins);
    for (std::size_t bin = 0; bin < shape_.bins; ++bin) {
      const double change = size * nominal_[bin] * std::cos(phase + turn * static_cast<double>(bin));
      high_[bin] = nominal_[bin] + change;
      low_[bin] = nominal_[bin] - asymmetry * change;
      rate_[bin] += truth(sample, shape_.normsys + index) * change;
    }
    append(",{{\"name\":\"shape_{}_{}\",\"type\":\"histosys\",\"data\":{{\"hi_data\":", sample, index);
    add_numbers(high_);
    append(",\"lo_data\":");
    add_numbers(low_);
    append("}}}}");
  }

  void add_staterror(std::size_t channel) {
    high_.resize(shape_.bins);
    for (std::size_t bin = 0; bin < shape_.bins; ++bin) high_[bin] = 0.3 * std::sqrt(nominal_[bin]);
    append(",{{\"name\":\"staterror_{}\",\"type\":\"staterror\",\"data\":", channel);
    add_numbers(high_);
    append("}}");
  }

  GeneratedShape shape_;
  Random random_;
  std::vector<double> truth_;           // [sample][normsys, then histosys]
  std::vector<double> nominal_, rate_;  // of the sample in work, [bin]; the rate is the true one
  std::vector<double> high_, low_;      // of the modifier in work, [bin]
  std::vector<double> total_;           // of the channel in work, [bin]
  double factor_ = 1;                   // true normalization of the sample in work
  std::string text_, observations_;
};

}  // namespace

std::string generated_workspace(const GeneratedShape& shape) {
  if (!shape.channels || !shape.bins || !shape.samples || shape.staterror_channels > shape.channels)
    throw std::logic_error("a generated workspace needs channels, bins and samples");
  return Generator(shape).text();
}

}  // namespace nextstat::cli
