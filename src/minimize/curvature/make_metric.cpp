#include "minimize/curvature/make_metric.h"

#include <algorithm>
#include <cmath>

#include "base/algebra/dense_flat.h"
#include "minimize/curvature/metric_rows.h"
#include "model/derivatives/derivatives.h"

namespace nextstat {
namespace {

// A bin expected to be almost empty says no more than one with one count.
constexpr double kSmallestRate = 1.0;
// Added to the information of parameters, as a part of it: rounding does not make it negative.
constexpr double kRidge = 1e-9;
// Information of a constraint that does not matter, as a part of what the data say.
constexpr double kWeak = 1e-12;
// Free factors of single bins that are worth a dense matrix: with more of them, eliminating them bin by bin
// is quicker (one fit, one for each bin: 0.11 ms against 0.22 ms at 60, 0.5 ms against 81 ms at 960).
constexpr std::ptrdiff_t kMostFreeLocals = 32;
// Tables beyond this many numbers, 200 MB, are not worth their memory: the diagonal alone is used.
constexpr std::size_t kLargestTable = 25'000'000;
// Operations of a dense metric that few fits are worth. A row that the diagonal does not bring to its end
// gets the dense one and loses little. Measured on one thread with n alphas in n bins:
//   n = 1,000 (1e9)    101 ms with the dense one, 17 ms with the diagonal
//   n = 4,000 (6e10)   5.4 s and 5.6 s
constexpr double kLittleWork = 1e9;

class MetricBuilder {
 public:
  MetricBuilder(const CompiledModel& model, std::span<const double> x, std::span<const char> fixed,
                std::size_t threads)
      : model_(model),
        run_{.threads = threads},
        n_(model.n_parameters),
        bins_(model.n_bins),
        jacobian_(jacobian(model, x)),
        information_(n_, 0.0),
        free_(n_, 0) {
    for (double& rate : jacobian_.rates) rate = std::max(rate, kSmallestRate);
    for (const auto& normal : model.normals)
      information_[normal.parameter] += 1.0 / (normal.sigma * normal.sigma);
    for (const auto& poisson : model.poissons)
      information_[poisson.parameter] += poisson.tau / std::max(x[poisson.parameter], 1e-3);
    set_own_information();
    for (std::size_t p = 0; p < n_; ++p) {
      free_[p] = fixed[p] == 0;
      if (fixed[p] == kHeldForNow) hold(p);
    }
    inform_free_locals();
    for (std::size_t p = 0; p < n_; ++p) {
      if (!free_[p] || is_eliminated(p)) continue;
      globals_.push_back(p);
      if (!(information_[p] > 0)) unconstrained_.push_back(p);
    }
    for (std::size_t l = 0; l < model_.locals.size(); ++l) {
      if (is_eliminated(model_.locals[l].parameter)) locals_.push_back(l);
    }
  }

  Metric build(MetricCost cost) {
    Metric metric;
    const std::size_t over_bins = bins_ + unconstrained_.size(),
                      over_parameters = globals_.size() + shared_bins();
    metric.by_bins = over_bins <= over_parameters;
    rows_.parameters = n_;
    rows_.diagonal.assign(n_, 0.0);
    const std::size_t rank = std::min(over_bins, over_parameters);
    const double operations = static_cast<double>(rank) * static_cast<double>(rank * n_);
    metric.diagonal = rank * n_ > kLargestTable || (cost == MetricCost::Little && operations >= kLittleWork);
    if (metric.diagonal) {
      diagonal_only();
    } else if (metric.by_bins) {
      form_over_bins();
    } else {
      form_over_parameters();
    }
    store_rows(model_, rows_, metric);
    for (const std::size_t p : held_)
      metric.reals[metric.layout.sigma + p] = own_[p] > 0 ? 1 / std::sqrt(own_[p]) : 1.0;
    metric.held = std::move(held_);
    return metric;
  }

 private:
  // Few free factors of single bins are among the free factors of all. Where there are many, each takes what
  // its bin knows for itself: it is eliminated as if it had a constraint, too weak to matter. A second one in
  // the same bin is flat and stays where it is.
  void inform_free_locals() {
    const auto is_free_local = [&](const CompiledModel::Local& local) {
      return free_[local.parameter] && !(information_[local.parameter] > 0);
    };
    if (std::count_if(model_.locals.begin(), model_.locals.end(), is_free_local) <= kMostFreeLocals) return;
    std::size_t taken = bins_;
    for (std::size_t l = 0; l < model_.locals.size(); ++l) {
      const std::size_t p = model_.locals[l].parameter, bin = model_.locals[l].bin;
      if (!free_[p] || information_[p] > 0 || jacobian_.locals[l] == 0) continue;
      if (bin == taken) {
        hold(p);
      } else {
        information_[p] = kWeak * own_[p];
        taken = bin;
      }
    }
  }

  // Does not move, but the stop rule looks at its gradient.
  void hold(std::size_t p) {
    free_[p] = 0;
    held_.push_back(p);
  }

  // Local, free and constrained: its part of the information is eliminated in its bin.
  bool is_eliminated(std::size_t p) const { return free_[p] && model_.is_local[p] && information_[p] > 0; }

  // Bins with two or more eliminated parameters.
  std::size_t shared_bins() const {
    std::size_t count = 0;
    for (std::size_t k = 1; k < locals_.size(); ++k) {
      const bool same = bin_of(k) == bin_of(k - 1);
      count += same && (k == 1 || bin_of(k - 2) != bin_of(k));
    }
    return count;
  }
  std::size_t bin_of(std::size_t k) const { return model_.locals[locals_[k]].bin; }
  std::size_t parameter_of(std::size_t k) const { return model_.locals[locals_[k]].parameter; }

  // Calls visit(bin, parameter, slope) for everything that is not eliminated.
  template <class Visit>
  void each_slope(Visit&& visit) const {
    for (const JacobianBlock& block : jacobian_.blocks) {
      const std::size_t columns = block.parameters.size();
      for (std::size_t b = 0; b < block.bins; ++b) {
        for (std::size_t c = 0; c < columns; ++c) {
          if (free_[block.parameters[c]])
            visit(block.first_bin + b, block.parameters[c], block.values[b * columns + c]);
        }
      }
    }
    for (std::size_t l = 0; l < model_.locals.size(); ++l) {
      const std::size_t p = model_.locals[l].parameter;
      if (free_[p] && !is_eliminated(p)) visit(model_.locals[l].bin, p, jacobian_.locals[l]);
    }
  }

  // nu_b + sum over the eliminated parameters of slope^2 / information
  std::vector<double> widened_rates() const {
    std::vector<double> widened = jacobian_.rates;
    for (std::size_t k = 0; k < locals_.size(); ++k) {
      const double slope = jacobian_.locals[locals_[k]];
      widened[bin_of(k)] += slope * slope / information_[parameter_of(k)];
    }
    return widened;
  }

  // Of numbers beyond what doubles hold nothing is known but that steps in units are steps.
  static void use_units(std::vector<double>& matrix, std::size_t size) {
    std::fill(matrix.begin(), matrix.end(), 0.0);
    for (std::size_t i = 0; i < size; ++i) matrix[i * (size + 1)] = 1.0;
  }

  // R^T R = the information of `parameters`. Of a flat direction one parameter is held: its row and column
  // become those of the unit matrix, and rows of the metric that begin with it are left out.
  void factorize(std::vector<double>& matrix, const std::vector<std::size_t>& parameters) {
    const std::size_t size = parameters.size();
    for (std::size_t i = 0; i < size; ++i) {
      double& entry = matrix[i * (size + 1)];
      entry = entry > 0 ? entry * (1 + kRidge) : 1.0;
    }
    std::vector<double> attempt = matrix;
    if (!dense::cholesky(size, attempt.data(), size, run_) && is_sound(attempt, parameters)) {
      matrix = std::move(attempt);
      return;
    }
    hold_flat(matrix, parameters);
    constexpr int kMostAttempts = 1000;
    attempt = matrix;
    for (int tried = 0; dense::cholesky(size, attempt.data(), size, run_); ++tried) {
      if (tried == kMostAttempts) return use_units(matrix, size);
      for (std::size_t i = 0; i < size; ++i) matrix[i * (size + 1)] *= 1 + 1e-6;
      attempt = matrix;
    }
    matrix = std::move(attempt);
  }

  // No pivot is so small that it may be flat: the ridge hides it.
  bool is_sound(const std::vector<double>& root, const std::vector<std::size_t>& parameters) const {
    constexpr double kSuspect = 1e-6;
    const std::size_t size = parameters.size();
    for (std::size_t i = 0; i < size; ++i) {
      const double pivot = root[i * (size + 1)], own = own_[parameters[i]];
      if (std::isfinite(own) && pivot * pivot < kSuspect * own) return false;
    }
    return true;
  }

  // What bins and constraint say of each parameter while all others stand still.
  void set_own_information() {
    own_ = information_;
    for (const JacobianBlock& block : jacobian_.blocks) {
      const double* slope = block.values.data();
      for (std::size_t bin = block.first_bin; bin < block.first_bin + block.bins; ++bin) {
        for (const std::uint32_t p : block.parameters) {
          own_[p] += *slope * *slope / jacobian_.rates[bin];
          ++slope;
        }
      }
    }
    for (std::size_t l = 0; l < model_.locals.size(); ++l)
      own_[model_.locals[l].parameter] +=
          jacobian_.locals[l] * jacobian_.locals[l] / jacobian_.rates[model_.locals[l].bin];
  }

  void hold_flat(std::vector<double>& matrix, const std::vector<std::size_t>& parameters) {
    const std::size_t size = parameters.size();
    RawNumbers unit(size), scaled(size * size);
    for (std::size_t i = 0; i < size; ++i) {
      const double own = own_[parameters[i]];
      if (!std::isfinite(own)) return;  // nothing is known of numbers that large
      unit[i] = own > 0 ? 1 / std::sqrt(own) : 1.0;
    }
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = i; j < size; ++j)
        scaled[i * size + j] = matrix[i * size + j] * (unit[i] * unit[j]);
      scaled[i * (size + 1)] /= 1 + kRidge;
    }
    dense::FlatFactor factor = dense::factor_without_flat(size, std::move(scaled), run_);
    for (const dense::NullVector& flat : factor.flat) {
      const std::size_t i = flat.last;
      hold(parameters[i]);
      for (std::size_t j = 0; j < size; ++j)
        matrix[std::min(i, j) * size + std::max(i, j)] = i == j ? 1.0 : 0.0;
    }
  }

  // Woodbury over bins, C = information of the constrained, u = the unconstrained:
  //   V = diag(nu) + Jc C^-1 Jc^T = R^T R,  K = R^-T Jc C^-1,  N = R^-T Ju,  N^T N = S^T S
  //   minus = K,  plus = (-S^-T N^T K, S^-T)
  void form_over_bins() {
    const std::size_t factors = unconstrained_.size();
    std::vector<std::size_t> border(n_, factors);
    for (std::size_t u = 0; u < factors; ++u) border[unconstrained_[u]] = u;
    std::vector<double> scaled(n_ * bins_);  // [constrained][bin]
    rows_.n_minus = bins_;
    rows_.minus.resize(bins_ * n_);
    std::vector<double> right(bins_ * factors, 0.0), root(n_);
    for (std::size_t p = 0; p < n_; ++p) root[p] = std::sqrt(information_[p]);
    each_slope([&](std::size_t bin, std::size_t p, double slope) {
      if (border[p] < factors) {
        right[bin * factors + border[p]] = slope;
      } else {
        scaled[p * bins_ + bin] = slope / root[p];
        rows_.minus[bin * n_ + p] = slope / information_[p];
      }
    });
    const std::vector<double> widened = widened_rates();
    std::vector<double> v(bins_ * bins_, 0.0);
    for (std::size_t b = 0; b < bins_; ++b) v[b * (bins_ + 1)] = widened[b];
    dense::add_symmetric_product(n_, bins_, scaled.data(), bins_, scaled.data(), bins_, v.data(), bins_,
                                 run_);
    if (dense::cholesky(bins_, v.data(), bins_, run_))
      return diagonal_only();  // numbers near the largest double
    for (std::size_t k = 0; k < locals_.size(); ++k)
      rows_.minus[bin_of(k) * n_ + parameter_of(k)] =
          jacobian_.locals[locals_[k]] / information_[parameter_of(k)];
    dense::solve_lower(bins_, v.data(), bins_, n_, rows_.minus.data(), n_, run_);
    dense::solve_lower(bins_, v.data(), bins_, factors, right.data(), factors, run_);
    for (std::size_t p = 0; p < n_; ++p) {
      if (free_[p] && information_[p] > 0) rows_.diagonal[p] = 1 / information_[p];
    }
    add_border(right);
  }

  void add_border(const std::vector<double>& right) {
    const std::size_t factors = unconstrained_.size();
    std::vector<double> schur(factors * factors, 0.0);
    dense::add_symmetric_product(bins_, factors, right.data(), factors, right.data(), factors, schur.data(),
                                 factors, run_);
    factorize(schur, unconstrained_);
    rows_.n_plus = factors;
    rows_.plus.assign(factors * n_, 0.0);
    dense::subtract_product(bins_, factors, n_, right.data(), factors, rows_.minus.data(), n_,
                            rows_.plus.data(), n_, run_);
    for (std::size_t u = 0; u < factors; ++u) {
      if (free_[unconstrained_[u]]) {
        rows_.plus[u * n_ + unconstrained_[u]] = 1.0;
      } else {
        std::fill_n(rows_.plus.begin() + static_cast<std::ptrdiff_t>(u * n_), n_, 0.0);
      }
    }
    dense::solve_lower(factors, schur.data(), factors, n_, rows_.plus.data(), n_, run_);
  }

  // Over the global parameters, the local ones eliminated, W = 1 / widened rate, c = their information:
  //   S = C + J^T W J = R^T R;   plus = R^-T (1, -J_b^T W_b slope / c)
  // A bin with one local parameter: diagonal 1 / (c + slope^2 / nu). With more of them: diagonal 1 / c and a
  // row of minus, slope / c sqrt(W).
  void form_over_parameters() {
    const std::size_t size = globals_.size();
    std::vector<std::size_t> place(n_, 0);
    for (std::size_t g = 0; g < size; ++g) place[globals_[g]] = g;
    const std::vector<double> widened = widened_rates();
    std::vector<double> slopes(bins_ * size, 0.0), weighted(bins_ * size);
    each_slope([&](std::size_t bin, std::size_t p, double slope) { slopes[bin * size + place[p]] = slope; });
    for (std::size_t bin = 0; bin < bins_; ++bin) {
      for (std::size_t i = bin * size; i < (bin + 1) * size; ++i) weighted[i] = slopes[i] / widened[bin];
    }
    std::vector<double> root(size * size, 0.0);
    for (std::size_t g = 0; g < size; ++g) root[g * (size + 1)] = information_[globals_[g]];
    dense::add_symmetric_product(bins_, size, weighted.data(), size, slopes.data(), size, root.data(), size,
                                 run_);
    factorize(root, globals_);
    rows_.n_plus = size;
    rows_.plus.assign(size * n_, 0.0);
    for (std::size_t g = 0; g < size; ++g) rows_.plus[g * n_ + globals_[g]] = free_[globals_[g]] ? 1.0 : 0.0;
    for (std::size_t k = 0; k < locals_.size(); ++k) {
      const double share = jacobian_.locals[locals_[k]] / information_[parameter_of(k)];
      for (std::size_t g = 0; g < size; ++g) {
        if (free_[globals_[g]])
          rows_.plus[g * n_ + parameter_of(k)] = -weighted[bin_of(k) * size + g] * share;
      }
    }
    dense::solve_lower(size, root.data(), size, n_, rows_.plus.data(), n_, run_);
    add_locals(widened);
  }

  void add_locals(const std::vector<double>& widened) {
    for (std::size_t begin = 0, end; begin < locals_.size(); begin = end) {
      for (end = begin; end < locals_.size() && bin_of(end) == bin_of(begin);) ++end;
      const std::size_t bin = bin_of(begin);
      if (end == begin + 1) {
        const double slope = jacobian_.locals[locals_[begin]], p = information_[parameter_of(begin)];
        rows_.diagonal[parameter_of(begin)] = 1 / (p + slope * slope / jacobian_.rates[bin]);
        continue;
      }
      rows_.minus.resize((rows_.n_minus + 1) * n_, 0.0);
      for (std::size_t k = begin; k < end; ++k) {
        const double information = information_[parameter_of(k)];
        rows_.diagonal[parameter_of(k)] = 1 / information;
        rows_.minus[rows_.n_minus * n_ + parameter_of(k)] =
            jacobian_.locals[locals_[k]] / information / std::sqrt(widened[bin]);
      }
      ++rows_.n_minus;
    }
  }

  void diagonal_only() {
    rows_.minus.clear();
    rows_.plus.clear();
    rows_.n_minus = rows_.n_plus = 0;
    for (std::size_t p = 0; p < n_; ++p)
      rows_.diagonal[p] = !free_[p] ? 0.0 : own_[p] > 0 ? 1 / own_[p] : 1.0;
  }

  const CompiledModel& model_;
  dense::Run run_;
  std::size_t n_, bins_;
  Jacobian jacobian_;                // with rates of at least kSmallestRate
  std::vector<double> information_;  // [parameter] of the constraints
  std::vector<double> own_;          // [parameter] and of the bins
  std::vector<char> free_;
  std::vector<std::size_t> globals_,
      unconstrained_;                // parameters that are not eliminated; the free factors of them
  std::vector<std::size_t> locals_;  // of the model's locals those that are eliminated
  std::vector<std::size_t> held_;    // of flat directions, and those held for now
  MetricRows rows_;
};

}  // namespace

Metric make_metric(const CompiledModel& model, std::span<const double> parameters,
                   std::span<const char> fixed, std::size_t threads, MetricCost cost) {
  return MetricBuilder(model, parameters, fixed, threads).build(cost);
}

}  // namespace nextstat
