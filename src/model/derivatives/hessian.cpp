#include <algorithm>
#include <cmath>
#include <limits>

#include "base/algebra/dense.h"
#include "model/derivatives/channel_derivatives.h"
#include "model/derivatives/derivatives.h"

namespace nextstat {
namespace {

constexpr std::size_t kNobody = std::numeric_limits<std::size_t>::max();
// Bins whose information is added at once.
constexpr std::size_t kBinsAtOnce = 512;

// Second derivatives of one channel: dense rows A and B with H += A^T B over the global parameters, and
// everything that is sparse straight into its place.
class ChannelHessian {
 public:
  ChannelHessian(const CompiledModel& model, const Dataset& data, HessianParts& parts, std::size_t threads)
      : model_(model),
        data_(data),
        parts_(parts),
        width_(model.globals.size()),
        threads_(threads),
        at_(model),
        locals_(model.locals.size(), 0.0) {
    block_size_.assign(model.locals.size(), 0);
    for (std::size_t l = 0; l < model.locals.size(); ++l) ++block_size_[first_of_bin(l)];
    for (std::size_t l = 0; l < model.locals.size(); ++l) block_size_[l] = block_size_[first_of_bin(l)];
  }

  void add(const CompiledModel::Channel& channel, std::span<const double> x) {
    at_.evaluate(channel, x);
    set_weights(channel);
    jacobian_.assign(channel.bins * width_, 0.0);
    for (const SampleDerivatives& sample : at_.samples()) {
      at_.sample_rows(sample, model_.place.data(), width_, rows_);
      at_.add_to_jacobian(sample, rows_, model_.place.data(), width_, jacobian_, locals_);
      scalars(sample);
      gammas(sample);
    }
    information(channel);
  }

 private:
  std::size_t first_of_bin(std::size_t local) const {
    while (local > 0 && model_.locals[local - 1].bin == model_.locals[local].bin) --local;
    return local;
  }

  // d NLL / d nu_b = 1 - n / nu, and d2 NLL / d nu_b^2 = n / nu^2.
  void set_weights(const CompiledModel::Channel& channel) {
    slope_.assign(channel.bins, 1.0);
    curvature_.assign(channel.bins, 0.0);
    for (std::size_t bin = 0; bin < channel.bins; ++bin) {
      const double n = data_.values[channel.first_bin + bin], nu = at_.rates()[bin];
      if (!(n > 0)) continue;
      slope_[bin] = nu > 0 ? (nu - n) / nu : 0.0;
      curvature_[bin] = nu > 0 ? n / nu / nu : 0.0;
    }
  }

  double* new_rows(std::vector<double>& rows, std::size_t count = 1) {
    rows.resize(rows.size() + count * width_, 0.0);
    return rows.data() + rows.size() - count * width_;
  }

  std::uint32_t place(std::uint32_t parameter) const { return model_.place[parameter]; }

  // Terms of two different kinds or places: (i, j) and (j, i), which coincide for i == j.
  void pair(std::size_t i, std::size_t j, double value) {
    parts_.global[std::min(i, j) * width_ + std::max(i, j)] += i == j ? 2 * value : value;
  }
  void diagonal(std::uint32_t parameter, double value) {
    parts_.global[place(parameter) * (width_ + 1)] += value;
  }

  // F with itself and with the shifts, T = sum_b w_b G_b base_b, r = f'/f, s = sum_b w_b G_b d base_b:
  //   sum_b w_b G_b d2 (F base_b) = F (T r + s) r^T + F r s^T + diagonal + free factors
  void scalars(const SampleDerivatives& at) {
    double total = 0;
    for (std::size_t bin = 0; bin < at.base.size(); ++bin)
      total += slope_[bin] * at.gamma_product[bin] * at.base[bin];
    ratio_.assign(width_, 0.0);
    shift_.assign(width_, 0.0);
    for (const auto& shift : at.shifts) {
      const double weight = slope_[shift.bin] * at.gamma_product[shift.bin];
      shift_[place(shift.parameter)] += weight * shift.first;
      diagonal(shift.parameter, at.factor * weight * shift.second);
    }
    for (const auto& ratio : at.ratios) {
      ratio_[place(ratio.parameter)] += ratio.first;
      diagonal(ratio.parameter, at.factor * total * (ratio.second - ratio.first * ratio.first));
    }
    if (!at.ratios.empty()) {
      double *left = new_rows(left_, 2), *right = new_rows(right_, 2);
      for (std::size_t i = 0; i < width_; ++i) {
        left[i] = at.factor * (total * ratio_[i] + shift_[i]);
        right[i] = ratio_[i];
        left[width_ + i] = at.factor * ratio_[i];
        right[width_ + i] = shift_[i];
      }
    }
    factors(at, total);
  }

  void factors(const SampleDerivatives& at, double total) {
    for (std::size_t j = 0; j < at.factors.size(); ++j) {
      const auto& factor = at.factors[j];
      for (std::size_t i = 0; i < width_; ++i) {
        const double with = total * ratio_[i] + shift_[i];
        if (with != 0) pair(place(factor.parameter), i, factor.others * with);
      }
      for (std::size_t l = 0; l < j; ++l) {
        double others = at.norm;
        for (std::size_t i = 0; i < at.factors.size(); ++i) {
          if (i != j && i != l) others *= at.factors[i].value;
        }
        pair(place(factor.parameter), place(at.factors[l].parameter), others * total);
      }
    }
  }

  // A gamma with everything else in its cell.
  void gammas(const SampleDerivatives& at) {
    list_gammas(at);
    for (std::size_t k = 0; k < at.gammas.size(); ++k) {
      const auto& gamma = at.gammas[k];
      const double weight = slope_[gamma.bin] * gamma.others;
      const double* row = rows_.data() + gamma.bin * width_;
      if (model_.is_local[gamma.parameter]) {
        double* coupling = parts_.coupling.data() + place(gamma.parameter) * width_;
        for (std::size_t i = 0; i < width_; ++i) coupling[i] += weight * row[i];
      } else {
        for (std::size_t i = 0; i < width_; ++i) {
          if (row[i] != 0) pair(place(gamma.parameter), i, weight * row[i]);
        }
      }
      for (std::size_t l = before_[k]; l != kNobody; l = before_[l]) gamma_pair(at, gamma, at.gammas[l]);
    }
  }

  // Gammas of one bin as lists: newest_[bin], and before each the one before it.
  void list_gammas(const SampleDerivatives& at) {
    newest_.assign(at.base.size(), kNobody);
    before_.resize(at.gammas.size());
    for (std::size_t k = 0; k < at.gammas.size(); ++k) {
      std::size_t& newest = newest_[at.gammas[k].bin];
      before_[k] = newest;
      newest = k;
    }
  }

  void gamma_pair(const SampleDerivatives& at, const SampleDerivatives::Gamma& a,
                  const SampleDerivatives::Gamma& b) {
    double value = at.factor * slope_[a.bin] * at.base[a.bin];
    for (std::size_t l = newest_[a.bin]; l != kNobody; l = before_[l]) {
      if (&at.gammas[l] != &a && &at.gammas[l] != &b) value *= at.gammas[l].value;
    }
    const bool a_local = model_.is_local[a.parameter], b_local = model_.is_local[b.parameter];
    if (a_local && b_local) {
      local_entry(place(a.parameter), place(b.parameter)) += value;
      local_entry(place(b.parameter), place(a.parameter)) += value;
    } else if (a_local || b_local) {
      const std::uint32_t local = a_local ? a.parameter : b.parameter,
                          global = a_local ? b.parameter : a.parameter;
      parts_.coupling[place(local) * width_ + place(global)] += value;
    } else {
      pair(place(a.parameter), place(b.parameter), value);
    }
  }

  double& local_entry(std::size_t i, std::size_t j) {
    const std::size_t first = first_of_bin(i);
    return parts_.local[parts_.blocks[i] + (i - first) * block_size_[i] + (j - first)];
  }

  // J^T diag(n / nu^2) J
  void information(const CompiledModel::Channel& channel) {
    for (std::size_t begin = 0; begin < channel.bins; begin += kBinsAtOnce) {
      const std::size_t bins = std::min<std::size_t>(kBinsAtOnce, channel.bins - begin);
      const double* const rows = jacobian_.data() + begin * width_;
      double *left = new_rows(left_, bins), *right = new_rows(right_, bins);
      std::copy_n(rows, bins * width_, right);
      for (std::size_t bin = 0; bin < bins; ++bin) {
        for (std::size_t i = 0; i < width_; ++i)
          left[bin * width_ + i] = curvature_[begin + bin] * rows[bin * width_ + i];
      }
      add_product();
    }
    const auto begin = std::lower_bound(model_.locals.begin(), model_.locals.end(), channel.first_bin,
                                        [](const auto& local, std::size_t bin) { return local.bin < bin; });
    for (auto local = begin; local != model_.locals.end() && local->bin < channel.first_bin + channel.bins;
         ++local) {
      const std::size_t l = static_cast<std::size_t>(local - model_.locals.begin());
      const std::size_t bin = local->bin - channel.first_bin;
      const double* row = jacobian_.data() + bin * width_;
      double* coupling = parts_.coupling.data() + l * width_;
      for (std::size_t i = 0; i < width_; ++i) coupling[i] += locals_[l] * (curvature_[bin] * row[i]);
      const std::size_t first = first_of_bin(l);
      for (std::size_t k = first; k < first + block_size_[l]; ++k)
        local_entry(l, k) += curvature_[bin] * (locals_[l] * locals_[k]);
    }
  }

  // H += left^T right over the global parameters.
  void add_product() {
    dense::add_symmetric_product(left_.size() / std::max<std::size_t>(1, width_), width_, left_.data(),
                                 width_, right_.data(), width_, parts_.global.data(), width_,
                                 {.threads = threads_});
    left_.clear();
    right_.clear();
  }

  const CompiledModel& model_;
  const Dataset& data_;
  HessianParts& parts_;
  std::size_t width_, threads_;
  ChannelDerivatives at_;
  std::vector<std::size_t> block_size_;       // [local] locals in its bin
  std::vector<double> locals_;                // [local] slope of the rate
  std::vector<std::size_t> newest_, before_;  // [bin], [gamma of the sample]
  std::vector<double> slope_, curvature_, rows_, jacobian_, ratio_, shift_, left_, right_;
};

void add_constraints(const CompiledModel& model, const Dataset& data, std::span<const double> x,
                     HessianParts& parts, std::span<const std::size_t> diagonal) {
  for (const auto& normal : model.normals)
    (model.is_local[normal.parameter] ? parts.local : parts.global)[diagonal[normal.parameter]] +=
        1.0 / (normal.sigma * normal.sigma);
  for (const auto& poisson : model.poissons) {
    const double n = data.values[poisson.data], gamma = x[poisson.parameter];
    if (n > 0 && gamma * poisson.tau > 0)
      (model.is_local[poisson.parameter] ? parts.local : parts.global)[diagonal[poisson.parameter]] +=
          n / gamma / gamma;
  }
}

}  // namespace

HessianParts hessian_parts(const CompiledModel& model, const Dataset& data,
                           std::span<const double> parameters, std::size_t threads) {
  const std::size_t globals = model.globals.size(), locals = model.locals.size();
  HessianParts parts;
  parts.global.assign(globals * globals, 0.0);
  parts.coupling.assign(locals * globals, 0.0);
  std::vector<std::size_t> diagonal(model.n_parameters);
  for (std::size_t i = 0; i < globals; ++i) diagonal[model.globals[i]] = i * (globals + 1);
  std::size_t size = 0;
  for (std::size_t begin = 0, end; begin < locals; begin = end) {
    for (end = begin; end < locals && model.locals[end].bin == model.locals[begin].bin;) ++end;
    for (std::size_t l = begin; l < end; ++l) {
      parts.blocks.push_back(size);
      diagonal[model.locals[l].parameter] = size + (l - begin) * (end - begin + 1);
    }
    size += (end - begin) * (end - begin);
  }
  parts.local.assign(size, 0.0);
  ChannelHessian builder(model, data, parts, threads);
  for (const CompiledModel::Channel& channel : model.channels) builder.add(channel, parameters);
  add_constraints(model, data, parameters, parts, diagonal);
  return parts;
}

std::vector<double> hessian(const CompiledModel& model, const Dataset& data,
                            std::span<const double> parameters) {
  const HessianParts parts = hessian_parts(model, data, parameters);
  const std::size_t n = model.n_parameters, globals = model.globals.size();
  std::vector<double> h(n * n, 0.0);
  for (std::size_t i = 0; i < globals; ++i) {
    for (std::size_t j = i; j < globals; ++j)
      h[model.globals[i] * n + model.globals[j]] = h[model.globals[j] * n + model.globals[i]] =
          parts.global[i * globals + j];
  }
  const auto& locals = model.locals;
  for (std::size_t l = 0; l < locals.size(); ++l) {
    const std::size_t row = locals[l].parameter;
    for (std::size_t i = 0; i < globals; ++i)
      h[row * n + model.globals[i]] = h[model.globals[i] * n + row] = parts.coupling[l * globals + i];
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
