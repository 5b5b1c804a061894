#include "minimize/rows/finite_start.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "base/point_list.h"
#include "minimize/rows/start_draws.h"
#include "model/derivatives/derivatives.h"

namespace nextstat {
namespace {

constexpr std::size_t kRounds = 32, kDrawsPerRound = 64;
constexpr std::size_t kMostRaises = 30;
// Bins that are raised at once; a model with more of them is raised in turns.
constexpr std::size_t kMostBins = 200;
// The rate that a bin is raised to, as a part of its count.
constexpr double kWanted = 0.1;

class Search {
 public:
  explicit Search(const StartProblem& problem)
      : p_(problem),
        compiled_(compiled_model(problem.model)),
        data_(problem.data.empty() ? problem.model.data() : problem.data),
        draws_(compiled_, problem.start, problem.low, problem.high),
        width_(draws_.widths()) {}

  std::optional<std::vector<double>> run() {
    const std::vector<double> start(p_.start.begin(), p_.start.end());
    if (auto raised = raise(start)) return raised;
    for (std::size_t round = 0; round < kRounds; ++round) {
      const Draws drawn = draw(round == 0 ? &start : nullptr);
      if (drawn.lowest) return drawn.points.copy(*drawn.lowest);
      if (drawn.hopeless) return std::nullopt;
      if (auto raised = raise(drawn.points.copy(drawn.nearest))) return raised;
    }
    return std::nullopt;
  }

 private:
  struct Draws {
    PointList points;
    std::optional<std::size_t> lowest;  // of those with a finite NLL
    std::size_t nearest = 0;            // by what its bins lack
    bool hopeless = false;              // a bin that lacks a rate has the same one at every point
  };

  Draws draw(const std::vector<double>* first) {
    Draws drawn;
    if (first) drawn.points.add(*first);
    while (drawn.points.size() < kDrawsPerRound) drawn.points.add(draws_.next());
    const Result<EvalOutput> output = p_.session.evaluate(
        {.parameters = drawn.points.flat(), .rows = drawn.points.size(), .data = p_.data, .expected = true});
    if (!output) return drawn;
    const std::size_t size = output->expected.size() / drawn.points.size();
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < drawn.points.size(); ++i) {
      if (std::isfinite(output->nll[i]) && !(drawn.lowest && output->nll[*drawn.lowest] <= output->nll[i]))
        drawn.lowest = i;
      const double lack = lacking(std::span(output->expected).subspan(i * size, size));
      if (lack < least) {
        least = lack;
        drawn.nearest = i;
      }
    }
    drawn.hopeless = is_hopeless(output->expected, size);
    return drawn;
  }

  // What the bins of a point lack, in units of what they should have.
  double lacking(std::span<const double> rates) const {
    double lack = 0;
    for (std::size_t b = 0; b < compiled_.n_bins; ++b) {
      if (data_[b] > 0 && !(rates[b] > 0))
        lack += std::isnan(rates[b]) ? 1e6 : 1 - rates[b] / (kWanted * data_[b]);
    }
    return lack;
  }

  bool is_hopeless(const std::vector<double>& expected, std::size_t size) const {
    for (std::size_t b = 0; b < compiled_.n_bins; ++b) {
      if (!(data_[b] > 0) || expected[b] > 0) continue;
      bool same = true;
      for (std::size_t at = b; same && at < expected.size(); at += size) same = expected[at] == expected[b];
      if (same) return true;
    }
    return false;
  }

  // Gauss-Newton on the bins that lack a rate, w = widths:  dx = w^2 J^T (J w^2 J^T)^-1 (wanted - nu).
  std::optional<std::vector<double>> raise(std::vector<double> x) {
    for (std::size_t step = 0; step < kMostRaises; ++step) {
      const Jacobian at = jacobian(compiled_, x);
      const std::vector<std::size_t> bins = lacking_bins(at.rates);
      if (bins.empty()) return is_finite(x) ? std::optional(x) : std::nullopt;
      const std::vector<double> before = x;
      move(at, bins, x);
      if (x == before) return std::nullopt;
    }
    return std::nullopt;
  }

  std::vector<std::size_t> lacking_bins(const std::vector<double>& rates) const {
    std::vector<std::size_t> bins;
    for (std::size_t b = 0; b < compiled_.n_bins && bins.size() < kMostBins; ++b) {
      if (data_[b] > 0 && rates[b] <= 0) bins.push_back(b);
    }
    return bins;
  }

  bool is_finite(const std::vector<double>& x) const {
    const Result<EvalOutput> output =
        p_.session.evaluate({.parameters = x, .data = p_.data, .gradient = true});
    return output && std::isfinite(output->nll[0]) &&
           std::all_of(output->gradient.begin(), output->gradient.end(),
                       [](double g) { return std::isfinite(g); });
  }

  void move(const Jacobian& at, const std::vector<std::size_t>& bins, std::vector<double>& x) const {
    const Eigen::Index rows = static_cast<Eigen::Index>(bins.size());
    Eigen::MatrixXd slopes = scaled_slopes(at, bins, x);  // J w
    Eigen::VectorXd lack(rows);
    for (Eigen::Index i = 0; i < rows; ++i) {
      const std::size_t b = bins[static_cast<std::size_t>(i)];
      lack[i] = kWanted * data_[b] - at.rates[b];
    }
    Eigen::MatrixXd normal = slopes * slopes.transpose();
    normal.diagonal() *= 1 + 1e-9;
    for (Eigen::Index i = 0; i < rows; ++i) {
      if (!(normal(i, i) > 0)) normal(i, i) = 1;
    }
    const Eigen::VectorXd change = slopes.transpose() * Eigen::LDLT<Eigen::MatrixXd>(normal).solve(lack);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double step = width_[i] * change[static_cast<Eigen::Index>(i)];
      if (std::isfinite(step)) x[i] = std::clamp(x[i] + step, p_.low[i], p_.high[i]);
    }
  }

  // Parameters at a bound that a bin would push out of it have no slope.
  Eigen::MatrixXd scaled_slopes(const Jacobian& at, const std::vector<std::size_t>& bins,
                                const std::vector<double>& x) const {
    Eigen::MatrixXd slopes =
        Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(bins.size()), static_cast<Eigen::Index>(x.size()));
    std::vector<std::size_t> row(compiled_.n_bins, bins.size());
    for (std::size_t i = 0; i < bins.size(); ++i) row[bins[i]] = i;
    const auto set = [&](std::size_t bin, std::size_t p, double slope) {
      if (row[bin] == bins.size() || width_[p] == 0 || !std::isfinite(slope)) return;
      if (slope > 0 ? x[p] >= p_.high[p] : x[p] <= p_.low[p]) return;
      slopes(static_cast<Eigen::Index>(row[bin]), static_cast<Eigen::Index>(p)) = slope * width_[p];
    };
    for (const JacobianBlock& block : at.blocks) {
      for (std::size_t b = 0; b < block.bins; ++b) {
        for (std::size_t c = 0; c < block.parameters.size(); ++c)
          set(block.first_bin + b, block.parameters[c], block.values[b * block.parameters.size() + c]);
      }
    }
    for (std::size_t l = 0; l < compiled_.locals.size(); ++l)
      set(compiled_.locals[l].bin, compiled_.locals[l].parameter, at.locals[l]);
    return slopes;
  }

  const StartProblem& p_;
  const CompiledModel& compiled_;
  std::span<const double> data_;
  StartDraws draws_;
  const std::vector<double>& width_;
};

}  // namespace

std::optional<std::vector<double>> finite_start(const StartProblem& problem) { return Search(problem).run(); }

}  // namespace nextstat
