#include "minimize/covariance.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/dense.h"
#include "base/none.h"
#include "model/derivatives.h"

namespace nextstat {
namespace {

// A pivot of the Hessian in units of its diagonal: below this a direction is flat, below minus this it goes
// downhill.
constexpr double kFlat = 1e-10;
// Parts of a flat direction that are named.
constexpr double kNamedPart = 0.05;

using Indices = std::vector<std::size_t>;

// The first row whose pivot is flat or negative; the rows before it are factorised.
std::optional<std::size_t> factorise(std::size_t size, std::vector<double>& matrix, dense::Run run) {
  std::optional<std::size_t> bad = dense::cholesky(size, matrix.data(), size, run);
  for (std::size_t i = 0; i < bad.value_or(size); ++i) {
    const double root = matrix[i * (size + 1)];
    if (root * root < kFlat) return i;
  }
  return bad;
}

// The inverse by parts: local parameters are eliminated bin by bin, then the global ones are inverted. With G
// the blocks of the locals, B their coupling and W = G^-1 B:
//   S = H - B^T W,   C_gg = S^-1,   C_gl = -C_gg W^T,   C_ll = G^-1 - W C_gl
class PartwiseInverse {
 public:
  PartwiseInverse(const CompiledModel& model, const HessianParts& parts, std::span<const char> free,
                  dense::Run run)
      : model_(model), parts_(parts), run_(run) {
    for (std::size_t g = 0; g < model.globals.size(); ++g) {
      if (free[model.globals[g]]) globals_.push_back(g);
    }
    for (std::size_t l = 0; l < model.locals.size(); ++l) {
      if (free[model.locals[l].parameter]) locals_.push_back(l);
    }
  }

  // False when a direction is flat or goes downhill.
  bool run(std::vector<double>& matrix) {
    const std::size_t size = globals_.size(), total = model_.globals.size();
    schur_.assign(size * size, 0.0);
    scale_.resize(size);
    for (std::size_t i = 0; i < size; ++i) {
      const double diagonal = parts_.global[globals_[i] * (total + 1)];
      if (!(diagonal > 0)) return false;
      scale_[i] = 1 / std::sqrt(diagonal);
    }
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = i; j < size; ++j)
        schur_[i * size + j] = parts_.global[globals_[i] * total + globals_[j]] * (scale_[i] * scale_[j]);
    }
    if (!eliminate_locals() || factorise(size, schur_, run_)) return false;
    inverse_.resize(size * size);
    dense::invert(size, schur_.data(), size, inverse_.data(), size, run_);
    store_globals(matrix);
    store_locals(matrix);
    return true;
  }

 private:
  std::size_t end_of_bin(std::size_t begin) const {
    std::size_t end = begin;
    while (end < locals_.size() && model_.locals[locals_[end]].bin == model_.locals[locals_[begin]].bin)
      ++end;
    return end;
  }

  bool eliminate_locals() {
    const std::size_t size = globals_.size(), count = locals_.size(), total = model_.globals.size();
    solved_.resize(count * size);
    std::vector<double> negative(count * size);
    for (std::size_t begin = 0, end; begin < count; begin = end) {
      end = end_of_bin(begin);
      const std::size_t block = end - begin;
      std::vector<double> root = block_of(begin, end);
      if (dense::cholesky(block, root.data(), block, {.threads = 1})) return false;
      for (std::size_t i = 0; i < block; ++i) {
        for (std::size_t g = 0; g < size; ++g)
          solved_[(begin + i) * size + g] =
              parts_.coupling[locals_[begin + i] * total + globals_[g]] * scale_[g];
      }
      double* rows = solved_.data() + begin * size;
      dense::solve_lower(block, root.data(), block, size, rows, size, {.threads = 1});
      for (std::size_t i = 0; i < block * size; ++i) negative[begin * size + i] = -rows[i];
      roots_.push_back(std::move(root));
    }
    dense::add_symmetric_product(count, size, negative.data(), size, solved_.data(), size, schur_.data(),
                                 size, run_);
    return true;
  }

  std::vector<double> block_of(std::size_t begin, std::size_t end) const {
    const std::size_t block = end - begin;
    std::size_t first = locals_[begin], last = locals_[begin];  // of the whole bin
    const std::uint32_t bin = model_.locals[first].bin;
    while (first > 0 && model_.locals[first - 1].bin == bin) --first;
    while (last < model_.locals.size() && model_.locals[last].bin == bin) ++last;
    std::vector<double> values(block * block);
    for (std::size_t i = 0; i < block; ++i) {
      for (std::size_t j = 0; j < block; ++j)
        values[i * block + j] =
            parts_.local[parts_.blocks[locals_[begin + i]] + (locals_[begin + i] - first) * (last - first) +
                         (locals_[begin + j] - first)];
    }
    return values;
  }

  std::size_t global_parameter(std::size_t i) const { return model_.globals[globals_[i]]; }
  std::size_t local_parameter(std::size_t i) const { return model_.locals[locals_[i]].parameter; }

  void store_globals(std::vector<double>& matrix) const {
    const std::size_t n = model_.n_parameters, size = globals_.size();
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j)
        matrix[global_parameter(i) * n + global_parameter(j)] =
            inverse_[i * size + j] * (scale_[i] * scale_[j]);
    }
  }

  void store_locals(std::vector<double>& matrix) {
    const std::size_t n = model_.n_parameters, size = globals_.size(), count = locals_.size();
    if (count == 0) return;
    std::vector<double> local(count * count, 0.0), response(size * count);  // G^-1; W^T
    std::size_t bin = 0;
    for (std::size_t begin = 0, end; begin < count; begin = end, ++bin) {
      end = end_of_bin(begin);
      const std::size_t block = end - begin;
      dense::solve_upper(block, roots_[bin].data(), block, size, solved_.data() + begin * size, size,
                         {.threads = 1});
      dense::invert(block, roots_[bin].data(), block, local.data() + begin * (count + 1), count,
                    {.threads = 1});
    }
    for (std::size_t l = 0; l < count; ++l) {
      for (std::size_t g = 0; g < size; ++g) response[g * count + l] = solved_[l * size + g];
    }
    std::vector<double> mixed(size * count, 0.0);  // C_gl, then -C_gl
    dense::add_product(size, size, count, inverse_.data(), size, response.data(), count, mixed.data(), count,
                       run_);
    dense::add_symmetric_product(size, count, mixed.data(), count, response.data(), count, local.data(),
                                 count, run_);
    for (std::size_t l = 0; l < count; ++l) {
      for (std::size_t g = 0; g < size; ++g)
        matrix[local_parameter(l) * n + global_parameter(g)] =
            matrix[global_parameter(g) * n + local_parameter(l)] = -mixed[g * count + l] * scale_[g];
      for (std::size_t k = l; k < count; ++k)
        matrix[local_parameter(l) * n + local_parameter(k)] =
            matrix[local_parameter(k) * n + local_parameter(l)] = local[l * count + k];
    }
  }

  const CompiledModel& model_;
  const HessianParts& parts_;
  dense::Run run_;
  Indices globals_, locals_;                     // free ones, as places among the model's
  std::vector<double> scale_, schur_, inverse_;  // [global]; S and its inverse in units of the diagonal
  std::vector<double> solved_;                   // [local][global] first R^-T B, then W
  std::vector<std::vector<double>> roots_;       // [bin]
};

// The inverse of a Hessian with flat directions: one parameter of each is held, all that take part in it have
// no uncertainty.
class FlatInverse {
 public:
  FlatInverse(const CompiledModel& model, const DataSet& data, std::span<const double> x,
              std::span<const char> free, dense::Run run)
      : n_(model.n_parameters), full_(hessian(model, data, x)), run_(run) {
    for (std::size_t i = 0; i < n_; ++i) {
      if (free[i]) moving_.push_back(i);
    }
  }

  void run(Covariance& result) {
    Indices flat;
    for (;;) {
      const std::size_t size = moving_.size();
      std::vector<double> root = scaled();
      const std::optional<std::size_t> bad = factorise(size, root, run_);
      if (!bad) {
        store(root, flat, result);
        return;
      }
      if (pivot(root, *bad) < -kFlat) {
        result.positive_definite = false;
        result.downhill.assign(n_, 0.0);
        const std::vector<double> v = null_vector(root, *bad);
        for (std::size_t i = 0; i < v.size(); ++i) result.downhill[moving_[i]] = v[i] * scale(i);
        for (std::size_t i : moving_) flat.push_back(i);
        moving_.clear();
        store(root, flat, result);
        return;
      }
      result.flat.push_back(direction(root, *bad));
      flat.insert(flat.end(), result.flat.back().parameters.begin(), result.flat.back().parameters.end());
      moving_.erase(moving_.begin() + static_cast<std::ptrdiff_t>(*bad));
    }
  }

 private:
  double scale(std::size_t i) const {
    const double diagonal = full_[moving_[i] * (n_ + 1)];
    return diagonal > 0 ? 1 / std::sqrt(diagonal) : 1.0;
  }

  std::vector<double> scaled() const {
    const std::size_t size = moving_.size();
    std::vector<double> matrix(size * size);
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j)
        matrix[i * size + j] = full_[moving_[i] * n_ + moving_[j]] * (scale(i) * scale(j));
    }
    return matrix;
  }

  // What is left of the diagonal in row `bad` after the rows before it.
  double pivot(const std::vector<double>& root, std::size_t bad) const {
    const std::size_t size = moving_.size();
    double left = full_[moving_[bad] * (n_ + 1)] * scale(bad) * scale(bad);
    for (std::size_t k = 0; k < bad; ++k) left -= root[k * size + bad] * root[k * size + bad];
    return left;
  }

  // H v = 0 within the first rows, v^T H v = the pivot of `bad`: v = (-R^-1 r, 1) with r the column of `bad`.
  std::vector<double> null_vector(const std::vector<double>& root, std::size_t bad) const {
    const std::size_t size = moving_.size();
    std::vector<double> v(bad + 1, 1.0);
    for (std::size_t i = 0; i < bad; ++i) v[i] = -root[i * size + bad];
    dense::solve_upper(bad, root.data(), size, 1, v.data(), 1, run_);
    return v;
  }

  FlatDirection direction(const std::vector<double>& root, std::size_t bad) const {
    const std::vector<double> v = null_vector(root, bad);
    double largest = 0;
    for (double part : v) largest = std::max(largest, std::abs(part));
    std::vector<std::pair<double, std::size_t>> parts;
    for (std::size_t i = 0; i <= bad; ++i) {
      if (std::abs(v[i]) > kNamedPart * largest || i == bad) parts.emplace_back(-std::abs(v[i]), moving_[i]);
    }
    std::sort(parts.begin(), parts.end());
    FlatDirection direction;
    for (const auto& [part, parameter] : parts) direction.parameters.push_back(parameter);
    return direction;
  }

  void store(const std::vector<double>& root, const Indices& flat, Covariance& result) const {
    const std::size_t size = moving_.size();
    std::vector<double> inverse(size * size);
    if (size > 0) dense::invert(size, root.data(), size, inverse.data(), size, run_);
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j)
        result.matrix[moving_[i] * n_ + moving_[j]] = inverse[i * size + j] * (scale(i) * scale(j));
    }
    for (std::size_t i : flat) {
      for (std::size_t j = 0; j < n_; ++j) result.matrix[i * n_ + j] = result.matrix[j * n_ + i] = kNone;
    }
  }

  std::size_t n_;
  std::vector<double> full_;  // [parameter][parameter]
  dense::Run run_;
  Indices moving_;
};

}  // namespace

Covariance covariance(const CompiledModel& model, const DataSet& data, std::span<const double> parameters,
                      std::span<const char> free, std::size_t threads) {
  const dense::Run run{.threads = threads};
  Covariance result;
  result.matrix.assign(model.n_parameters * model.n_parameters, 0.0);
  const HessianParts parts = hessian_parts(model, data, parameters, threads);
  if (PartwiseInverse(model, parts, free, run).run(result.matrix)) return result;
  FlatInverse(model, data, parameters, free, run).run(result);
  return result;
}

}  // namespace nextstat
