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
    block.values.resize(block.bins * width);
    at.add_to_jacobian(column.data(), width, block.values, result.locals);
    result.blocks.push_back(std::move(block));
  }
  return result;
}

std::vector<double> hessian(const CompiledModel& model, const Dataset& data,
                            std::span<const double> parameters) {
  const HessianParts parts = hessian_parts(model, data, parameters);
  const std::size_t n = model.n_parameters, globals = model.globals.size();
  std::vector<double> h(n * n, 0.0);
  for (std::size_t i = 0; i < globals; ++i) {
    for (std::size_t j = i; j < globals; ++j)
      h[model.globals[i] * n + model.globals[j]] = h[model.globals[j] * n + model.globals[i]] =
          parts.global[i * parts.stride + j];
  }
  const auto& locals = model.locals;
  for (std::size_t l = 0; l < locals.size(); ++l) {
    const std::size_t row = locals[l].parameter;
    for (std::size_t i = 0; i < globals; ++i)
      h[row * n + model.globals[i]] = h[model.globals[i] * n + row] = parts.coupling[l * parts.stride + i];
    std::size_t first = l, end = l;
    while (first > 0 && locals[first - 1].bin == locals[l].bin) --first;
    while (end < locals.size() && locals[end].bin == locals[l].bin) ++end;
    for (std::size_t k = first; k < end; ++k)
      h[row * n + locals[k].parameter] =
          parts.local[parts.blocks[l] + (l - first) * (end - first) + (k - first)];
  }
  return h;
}

}  // namespace nextstat
