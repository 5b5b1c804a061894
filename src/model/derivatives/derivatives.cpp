#include "model/derivatives/derivatives.h"

#include <algorithm>

#include "model/derivatives/channel_derivatives.h"

namespace nextstat {

Jacobian jacobian(const CompiledModel& model, std::span<const double> parameters) {
  Jacobian result;
  result.rates.assign(model.n_bins, 0.0);
  result.locals.assign(model.locals.size(), 0.0);
  std::vector<std::uint32_t> column(model.n_parameters, 0);
  ChannelDerivatives at(model, parameters);
  for (const CompiledModel::Channel& channel : model.channels) {
    at.enter(channel);
    std::copy(at.rates().begin(), at.rates().end(), result.rates.begin() + channel.first_bin);
    JacobianBlock block{channel.first_bin, channel.bins, channel.globals, {}};
    const std::size_t width = channel.globals.size();
    for (std::uint32_t i = 0; i < width; ++i) column[channel.globals[i]] = i;
    block.values.assign(block.bins * width, 0.0);
    at.add_to_jacobian(column.data(), width, block.values, result.locals);
    result.blocks.push_back(std::move(block));
  }
  return result;
}

}  // namespace nextstat
