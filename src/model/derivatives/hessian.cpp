#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "base/algebra/dense.h"
#include "model/derivatives/channel_derivatives.h"
#include "model/derivatives/derivatives.h"

namespace nextstat {
namespace {

constexpr std::size_t kNobody = std::numeric_limits<std::size_t>::max();
// Rows of left and right that are multiplied at once.
constexpr std::size_t kRowsAtOnce = 64;
// Rows are this many columns long, or a multiple: the lanes of the widest instruction set.
constexpr std::size_t kColumns = 8;
// What an entry of its own costs in entries of the dense product: two rows, half of them, eight at once.
constexpr std::size_t kCostOfEntry = 12;

// Second derivatives, channel by channel: dense rows A and B with H += A^T B over the global parameters, and
// everything that is sparse straight into its place.
class HessianBuilder {
 public:
  HessianBuilder(const CompiledModel& model, const Dataset& data, std::span<const double> x,
                 HessianParts& parts, std::size_t threads)
      : model_(model),
        data_(data),
        parts_(parts),
        width_(parts.stride),
        threads_(threads),
        at_(model, x),
        locals_(model.locals.size(), 0.0),
        slot_(model.globals.size(), kNobody),
        left_(std::make_unique_for_overwrite<double[]>(kRowsAtOnce * width_)),
        right_(std::make_unique_for_overwrite<double[]>(kRowsAtOnce * width_)) {
    block_size_.assign(model.locals.size(), 0);
    for (std::size_t l = 0; l < model.locals.size(); ++l) ++block_size_[first_of_bin(l)];
    for (std::size_t l = 0; l < model.locals.size(); ++l) block_size_[l] = block_size_[first_of_bin(l)];
  }

  void add(const CompiledModel::Channel& channel) {
    at_.enter(channel);
    set_weights(channel);
    jacobian_.assign(channel.bins * width_, 0.0);
    at_.add_to_jacobian(model_.place.data(), width_, jacobian_, locals_);
    const auto local_of = [&](std::size_t bin) {
      const auto at_least = [](const auto& local, std::size_t b) { return local.bin < b; };
      const auto found = std::lower_bound(model_.locals.begin(), model_.locals.end(), bin, at_least);
      return static_cast<std::size_t>(found - model_.locals.begin());
    };
    first_local_ = local_of(channel.first_bin);
    end_local_ = local_of(channel.first_bin + channel.bins);
    meetings_.assign(at_.samples().size() * (end_local_ - first_local_), 0.0);
    for (std::size_t s = 0; s < at_.samples().size(); ++s) {
      scalars(at_.samples()[s]);
      gammas(at_.samples()[s], s);
    }
    information(channel);
    meet_locals(channel);
  }

  // Once, after the last channel.
  void finish() {
    add_product();
    fold_borders();
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

  // A row of each, to be filled.
  std::pair<double*, double*> new_rows() {
    if (rows_ == kRowsAtOnce) add_product();
    const std::size_t begin = rows_++ * width_;
    return {left_.get() + begin, right_.get() + begin};
  }

  std::uint32_t place(std::uint32_t parameter) const { return model_.place[parameter]; }

  // Terms of two different kinds or places: (i, j) and (j, i), which coincide for i == j.
  void pair(std::size_t i, std::size_t j, double value) {
    parts_.global[std::min(i, j) * width_ + std::max(i, j)] += i == j ? 2 * value : value;
  }
  void diagonal(std::uint32_t parameter, double value) {
    parts_.global[place(parameter) * (width_ + 1)] += value;
  }

  // pair(i, j, scale * row[j]) for all j. Gathered in row i, both sides of the diagonal, until fold_borders.
  void border(std::size_t i, double scale, const double* row) {
    double* const sum = parts_.global.data() + i * width_;
    for (std::size_t j = 0; j < width_; ++j) sum[j] += scale * row[j];
    sum[i] += scale * row[i];
  }
  // The same for all that the sample knows, which is read once for several rows.
  template <std::size_t rows>
  void border_of_sample(const std::uint32_t* i, double factor, const double* part, const double* row) {
    double *sum[rows], scale[rows];
    for (std::size_t r = 0; r < rows; ++r) {
      sum[r] = parts_.global.data() + i[r] * width_;
      scale[r] = factor * part[r];
    }
    for (std::size_t k = 0; k < known_.size(); ++k)
      for (std::size_t r = 0; r < rows; ++r) sum[r][known_[k]] += scale[r] * row[k];
    for (std::size_t r = 0; r < rows; ++r)
      if (slot_[i[r]] != kNobody) sum[r][i[r]] += scale[r] * row[slot_[i[r]]];
  }
  void fold_borders() {
    double* const global = parts_.global.data();  // rows without a border have zeros left of the diagonal
    for (std::size_t begin = 0, end = kColumns; begin < width_; begin = end, end += kColumns) {
      for (std::size_t j = 0; j < end; ++j) {
        for (std::size_t i = std::max(begin, j + 1); i < end; ++i)
          global[j * width_ + i] += global[i * width_ + j];
      }
    }
  }

  // F with itself and with the shifts, T = sum_b w_b G_b base_b, r = f'/f, s = sum_b w_b G_b d base_b:
  //   sum_b w_b G_b d2 (F base_b) = F (T r + s) r^T + F r s^T + diagonal + free factors
  void scalars(const SampleDerivatives& at) {
    double total = 0;
    weights_.resize(at.base.size());
    for (std::size_t bin = 0; bin < at.base.size(); ++bin) {
      weights_[bin] = slope_[bin] * at.gamma_product[bin];
      total += weights_[bin] * at.base[bin];
    }
    gather(at, total);
    both_.resize(known_.size());
    for (std::size_t k = 0; k < known_.size(); ++k) both_[k] = total * ratio_[k] + shift_[k];
    if (kCostOfEntry * n_ratios_ * known_.size() < width_ * width_) {
      half_.resize(known_.size());  // F r (T r / 2 + s)^T and its transpose
      for (std::size_t k = 0; k < known_.size(); ++k) half_[k] = 0.5 * (total * ratio_[k]) + shift_[k];
      std::size_t k = 0;
      for (; k + 4 <= n_ratios_; k += 4) border_of_sample<4>(&known_[k], at.factor, &ratio_[k], half_.data());
      for (; k < n_ratios_; ++k) border_of_sample<1>(&known_[k], at.factor, &ratio_[k], half_.data());
    } else {
      spread(at.factor, both_, ratio_);
      if (!at.shifts.empty()) spread(at.factor, ratio_, shift_);
    }
    factors(at, total);
  }

  // Lists the parameters of the sample's ratios, then those that have shifts only; what has one parameter is done.
  void gather(const SampleDerivatives& at, double total) {
    for (const std::uint32_t i : known_) slot_[i] = kNobody;
    known_.clear();
    ratio_.clear();
    shift_.clear();
    const auto slot_of = [this](std::uint32_t parameter) {
      std::size_t& slot = slot_[place(parameter)];
      if (slot != kNobody) return slot;
      known_.push_back(place(parameter));
      ratio_.push_back(0.0);
      shift_.push_back(0.0);
      return slot = known_.size() - 1;
    };
    for (const auto& ratio : at.ratios) {
      ratio_[slot_of(ratio.parameter)] += ratio.first;
      diagonal(ratio.parameter, at.factor * total * (ratio.second - ratio.first * ratio.first));
    }
    n_ratios_ = known_.size();
    for (auto shift = at.shifts.begin(); shift != at.shifts.end();) {
      const std::uint32_t parameter = shift->parameter;
      double first = 0, second = 0;
      for (; shift != at.shifts.end() && shift->parameter == parameter; ++shift) {
        first += weights_[shift->bin] * shift->first;
        second += weights_[shift->bin] * shift->second;
      }
      shift_[slot_of(parameter)] += first;
      diagonal(parameter, at.factor * second);
    }
  }

  // scale left right^T as a row of the dense product.
  void spread(double scale, const std::vector<double>& left, const std::vector<double>& right) {
    const auto [a, b] = new_rows();
    std::fill_n(a, width_, 0.0);
    std::fill_n(b, width_, 0.0);
    for (std::size_t k = 0; k < known_.size(); ++k) {
      a[known_[k]] = scale * left[k];
      b[known_[k]] = right[k];
    }
  }

  void factors(const SampleDerivatives& at, double total) {
    for (std::size_t j = 0; j < at.factors.size(); ++j) {
      const auto& factor = at.factors[j];
      border_of_sample<1>(&model_.place[factor.parameter], 1.0, &factor.others, both_.data());
      for (std::size_t l = 0; l < j; ++l) {
        double others = at.norm;
        for (std::size_t i = 0; i < at.factors.size(); ++i) {
          if (i != j && i != l) others *= at.factors[i].value;
        }
        pair(place(factor.parameter), place(at.factors[l].parameter), others * total);
      }
    }
  }

  // A gamma with everything else in its cell. Locals meet dF of all samples at once, in meet_locals.
  void gammas(const SampleDerivatives& at, std::size_t s) {
    list_gammas(at);
    const double* const factor_row = at_.factor_rows() + s * width_;
    double* const meetings = meetings_.data() + s * (end_local_ - first_local_);
    for (std::size_t k = 0; k < at.gammas.size(); ++k) {
      const auto& gamma = at.gammas[k];
      const double weight = slope_[gamma.bin] * gamma.others * at.base[gamma.bin];
      if (model_.is_local[gamma.parameter]) {
        meetings[place(gamma.parameter) - first_local_] += weight;
      } else {
        border(place(gamma.parameter), weight, factor_row);
      }
      for (std::size_t l = before_[k]; l != kNobody; l = before_[l]) gamma_pair(at, gamma, at.gammas[l]);
    }
    if (at.gammas.empty()) return;
    list_lone_locals(at);
    for (const auto& shift : at.shifts) {
      if (const LoneLocal& lone = lone_[shift.bin]; lone.row) {
        lone.row[place(shift.parameter)] += lone.weight * shift.first;
        continue;
      }
      const double slope = slope_[shift.bin] * at.factor * shift.first;
      for (std::size_t l = newest_[shift.bin]; l != kNobody; l = before_[l]) {
        const auto& gamma = at.gammas[l];
        if (model_.is_local[gamma.parameter]) {
          parts_.coupling[place(gamma.parameter) * width_ + place(shift.parameter)] += gamma.others * slope;
        } else {
          pair(place(gamma.parameter), place(shift.parameter), gamma.others * slope);
        }
      }
    }
  }

  void meet_locals(const CompiledModel::Channel& channel) {
    const std::size_t count = end_local_ - first_local_;
    double* const coupling = parts_.coupling.data() + first_local_ * width_;
    for (std::size_t l = 0; l < count; ++l) {
      const std::size_t local = first_local_ + l;
      const std::size_t bin = model_.locals[local].bin - channel.first_bin;
      const double scale = locals_[local] * curvature_[bin];
      for (std::size_t i = 0; i < width_; ++i)
        coupling[l * width_ + i] += scale * jacobian_[bin * width_ + i];
      const std::size_t first = first_of_bin(local);
      for (std::size_t k = first; k < first + block_size_[local]; ++k)
        local_entry(local, k) += curvature_[bin] * (locals_[local] * locals_[k]);
    }
    dense::add_product(at_.samples().size(), count, width_, meetings_.data(), count, at_.factor_rows(),
                       width_, coupling, width_, {.threads = threads_});
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

  // Most bins have one gamma, and a local one.
  void list_lone_locals(const SampleDerivatives& at) {
    lone_.assign(at.base.size(), {});
    for (std::size_t bin = 0; bin < lone_.size(); ++bin) {
      const std::size_t k = newest_[bin];
      if (k == kNobody || before_[k] != kNobody) continue;
      const auto& gamma = at.gammas[k];
      if (model_.is_local[gamma.parameter])
        lone_[bin] = {parts_.coupling.data() + place(gamma.parameter) * width_,
                      slope_[bin] * at.factor * gamma.others};
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
    for (std::size_t bin = 0; bin < channel.bins; ++bin) {
      const double* const row = jacobian_.data() + bin * width_;
      const auto [left, right] = new_rows();
      for (std::size_t i = 0; i < width_; ++i) left[i] = curvature_[bin] * row[i];
      std::copy_n(row, width_, right);
    }
  }

  // H += left^T right over the global parameters.
  void add_product() {
    dense::add_symmetric_product(rows_, width_, left_.get(), width_, right_.get(), width_,
                                 parts_.global.data(), width_, {.threads = threads_});
    rows_ = 0;
  }

  struct LoneLocal {
    double* row = nullptr;  // of the coupling
    double weight = 0;      // of d base
  };

  const CompiledModel& model_;
  const Dataset& data_;
  HessianParts& parts_;
  std::size_t width_, threads_;
  ChannelDerivatives at_;
  std::vector<std::size_t> block_size_;          // [local] locals in its bin
  std::size_t first_local_ = 0, end_local_ = 0;  // of the channel
  std::vector<double> locals_;                   // [local] slope of the rate
  std::vector<double> meetings_;                 // [sample][local of the channel] what multiplies dF
  std::vector<std::size_t> newest_, before_;     // [bin], [gamma of the sample]
  std::vector<LoneLocal> lone_;                  // [bin of the sample]
  std::vector<double> slope_, curvature_;        // [bin of the channel]
  std::vector<double> jacobian_;                 // [bin of the channel][global]
  std::vector<double> weights_;                  // [bin of the sample] w_b G_b
  std::vector<std::size_t> slot_;                // [global] its place among those that the sample knows
  std::vector<std::uint32_t> known_;             // globals that the sample knows
  std::size_t n_ratios_ = 0;                     // how many of them have ratios: the first ones
  std::vector<double> ratio_, shift_;            // [known] r, s
  std::vector<double> both_, half_;              // [known] T r + s, T r / 2 + s
  std::unique_ptr<double[]> left_, right_;       // [row][global]
  std::size_t rows_ = 0;
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
  parts.stride = (globals + kColumns - 1) / kColumns * kColumns;
  parts.global.resize(parts.stride * parts.stride);
  parts.coupling.resize(locals * parts.stride);
  std::vector<std::size_t> diagonal(model.n_parameters);
  for (std::size_t i = 0; i < globals; ++i) diagonal[model.globals[i]] = i * (parts.stride + 1);
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
  HessianBuilder builder(model, data, parameters, parts, threads);
  for (const CompiledModel::Channel& channel : model.channels) builder.add(channel);
  builder.finish();
  add_constraints(model, data, parameters, parts, diagonal);
  return parts;
}

}  // namespace nextstat
