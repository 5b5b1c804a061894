// What a model expects in its main bins: sample by sample, and how it changes with the parameters.
//
//   Result<std::vector<SampleRates>> rates = sample_rates(model, model.initial());
//   Result<std::vector<double>> slopes = rate_jacobian(model, model.initial());
#pragma once

#include <nextstat/model.h>

#include <span>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace nextstat {

// What one sample contributes to one channel.
struct SampleRates {
  std::size_t channel = 0;  // in Model::channels()
  std::string sample;
  std::vector<double> rates;  // [bin of the channel]
};

// In the order of the channels and of their samples.
Result<std::vector<SampleRates>> sample_rates(const Model& model, std::span<const double> parameters);

// [bin][parameter] d nu / d theta.
Result<std::vector<double>> rate_jacobian(const Model& model, std::span<const double> parameters);

}  // namespace nextstat
#pragma GCC visibility pop
