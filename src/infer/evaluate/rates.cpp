#include <nextstat/rates.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "model/derivatives/channel_derivatives.h"
#include "model/derivatives/derivatives.h"

namespace nextstat {
namespace {

Errors check_point(const Model& model, std::span<const double> parameters) {
  for (std::size_t i = 0; i < std::min(parameters.size(), model.n_parameters()); ++i) {
    if (!std::isfinite(parameters[i]))
      return {{ErrorCode::BadUsage, "parameters",
               fmt::format("the value of \"{}\" is not finite", model.parameters()[i].name),
               "give finite values"}};
  }
  if (parameters.size() == model.n_parameters()) return {};
  return {{ErrorCode::BadUsage, "parameters",
           fmt::format("{} parameter values, the model has {} parameters", parameters.size(),
                       model.n_parameters()),
           "give one value per parameter"}};
}

}  // namespace

Result<std::vector<SampleRates>> sample_rates(const Model& model, std::span<const double> parameters) {
  if (const Errors errors = check_point(model, parameters); !errors.empty()) return errors;
  const CompiledModel& compiled = compiled_model(model);
  std::vector<SampleRates> rates;
  ChannelDerivatives derivatives(compiled, parameters);
  for (std::size_t c = 0; c < compiled.channels.size(); ++c) {
    const CompiledModel::Channel& channel = compiled.channels[c];
    const std::vector<std::string>& names = model.channels()[c].samples;
    if (names.size() != channel.sample_end - channel.sample_begin)
      throw std::logic_error("sample_rates: the compiled samples are not those of the channel");
    derivatives.enter(channel);
    for (std::uint32_t s = channel.sample_begin; s < channel.sample_end; ++s) {
      const CompiledModel::Sample& sample = compiled.samples[s];
      const SampleDerivatives& at = derivatives.samples()[s - channel.sample_begin];
      SampleRates& entry = rates.emplace_back();
      entry.channel = c;
      entry.sample = names[s - channel.sample_begin];
      entry.rates.assign(channel.bins, 0.0);
      // nu_b = F G_b base_b
      for (std::uint32_t b = 0; b < sample.bins; ++b)
        entry.rates[sample.first_bin - channel.first_bin + b] = at.factor * at.gamma_product[b] * at.base[b];
    }
  }
  return rates;
}

Result<std::vector<double>> rate_jacobian(const Model& model, std::span<const double> parameters) {
  if (const Errors errors = check_point(model, parameters); !errors.empty()) return errors;
  const CompiledModel& compiled = compiled_model(model);
  const std::size_t n = compiled.n_parameters;
  const Jacobian parts = jacobian(compiled, parameters);
  std::vector<double> slopes(compiled.n_bins * n, 0.0);
  for (const JacobianBlock& block : parts.blocks) {
    for (std::size_t b = 0; b < block.bins; ++b) {
      for (std::size_t k = 0; k < block.parameters.size(); ++k)
        slopes[(block.first_bin + b) * n + block.parameters[k]] =
            block.values[b * block.parameters.size() + k];
    }
  }
  for (std::size_t i = 0; i < compiled.locals.size(); ++i)
    slopes[compiled.locals[i].bin * n + compiled.locals[i].parameter] = parts.locals[i];
  return slopes;
}

}  // namespace nextstat
