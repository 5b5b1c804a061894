#include "base/algebra/dense_flat.h"

#include <algorithm>
#include <cmath>

namespace nextstat::dense {
namespace {

constexpr std::size_t kPanel = 64;

// Rows above `last` that were kept, solved for the null vector: R v = -r with r the column of `last`.
NullVector null_vector(std::size_t n, const RawNumbers& rows, const std::vector<std::size_t>& kept,
                       std::size_t last) {
  NullVector vector{last, std::vector<double>(n, 0.0)};
  vector.parts[last] = 1;
  for (std::size_t k = kept.size(); k-- > 0;) {
    const double* row = rows.data() + kept[k] * n;
    double sum = -row[last];
    for (std::size_t j = k + 1; j < kept.size(); ++j) sum -= row[kept[j]] * vector.parts[kept[j]];
    vector.parts[kept[k]] = sum / row[kept[k]];
  }
  return vector;
}

// Right-looking, a panel of rows at a time. Rows that are left out are zeroed, so that they change nothing.
class PanelFactor {
 public:
  PanelFactor(std::size_t n, RawNumbers matrix, Run run) : n_(n), m_(std::move(matrix)), run_(run) {}

  FlatFactor factor() {
    for (std::size_t begin = 0; begin < n_ && !result_.downhill; begin += kPanel) {
      const std::size_t end = std::min(n_, begin + kPanel);
      for (std::size_t i = begin; i < end && !result_.downhill; ++i) row(i, end);
      if (end < n_ && !result_.downhill) update(begin, end);
    }
    if (!result_.downhill) compress();
    return std::move(result_);
  }

 private:
  void row(std::size_t i, std::size_t end) {
    double* const at = m_.data() + i * n_;
    const double pivot = at[i];
    if (!(pivot >= kFlat)) {
      NullVector vector = null_vector(n_, m_, result_.kept, i);
      if (!(pivot >= -kDownhill)) {  // or no number
        result_.smallest_pivot = std::isnan(pivot) ? -1 : pivot;
        result_.downhill = std::move(vector);
      } else {
        result_.flat.push_back(std::move(vector));
      }
      std::fill(at + i, at + n_, 0.0);
      return;
    }
    result_.smallest_pivot = std::min(result_.smallest_pivot, pivot);
    at[i] = std::sqrt(pivot);
    const double reciprocal = 1.0 / at[i];
    for (std::size_t j = i + 1; j < n_; ++j) at[j] *= reciprocal;
    for (std::size_t k = i + 1; k < end; ++k) {
      double* const below = m_.data() + k * n_;
      for (std::size_t j = k; j < n_; ++j) below[j] -= at[k] * at[j];
    }
    result_.kept.push_back(i);
  }

  void update(std::size_t begin, std::size_t end) {
    const std::size_t rows = end - begin, columns = n_ - end;
    std::vector<double> negative(rows * columns);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) negative[i * columns + j] = -m_[(begin + i) * n_ + end + j];
    }
    add_symmetric_product(rows, columns, negative.data(), columns, m_.data() + begin * n_ + end, n_,
                          m_.data() + end * (n_ + 1), n_, run_);
  }

  void compress() {
    const std::size_t size = result_.kept.size();
    result_.root.assign(size * size, 0.0);
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = i; j < size; ++j)
        result_.root[i * size + j] = m_[result_.kept[i] * n_ + result_.kept[j]];
    }
  }

  std::size_t n_;
  RawNumbers m_;
  Run run_;
  FlatFactor result_;
};

}  // namespace

FlatFactor factor_without_flat(std::size_t n, RawNumbers matrix, Run run) {
  // Most matrices have no flat direction: the quick way first, with the same bits.
  FlatFactor factor;
  factor.root = matrix;
  bool sound = !cholesky(n, factor.root.data(), n, run);
  for (std::size_t i = 0; sound && i < n; ++i)
    factor.smallest_pivot =
        std::min(factor.smallest_pivot, factor.root[i * (n + 1)] * factor.root[i * (n + 1)]);
  if (!sound || factor.smallest_pivot < kFlat) return PanelFactor(n, std::move(matrix), run).factor();
  factor.kept.resize(n);
  for (std::size_t i = 0; i < n; ++i) factor.kept[i] = i;
  return factor;
}

}  // namespace nextstat::dense
