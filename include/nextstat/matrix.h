// Results keep matrices as flat arrays, row after row. A view with rows and columns:
//
//   Result<FitResult> result = fit(model);
//   const MatrixView covariance = as_matrix(result->covariance, model.n_parameters());
//   covariance.at(0, 1);
//
// The array must outlive the view.
#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>

#pragma GCC visibility push(default)
namespace nextstat {

// Covariance and correlation of models with more parameters are given where they are asked for.
constexpr std::size_t kMostParametersOfMatrix = 5000;

// A matrix that somebody else keeps. What is outside throws std::out_of_range.
class MatrixView {
 public:
  // The length of `values` is a multiple of `columns`.
  MatrixView(std::span<const double> values, std::size_t columns) : values_(values), columns_(columns) {
    if (columns == 0 ? !values.empty() : values.size() % columns != 0)
      throw std::logic_error("MatrixView: the values do not fill the last row");
  }

  std::size_t rows() const { return columns_ == 0 ? 0 : values_.size() / columns_; }
  std::size_t columns() const { return columns_; }

  std::span<const double> row(std::size_t i) const {
    if (i >= rows()) throw std::out_of_range("MatrixView: no such row");
    return values_.subspan(i * columns_, columns_);
  }
  double at(std::size_t i, std::size_t j) const {
    if (j >= columns_) throw std::out_of_range("MatrixView: no such column");
    return row(i)[j];
  }

 private:
  std::span<const double> values_;
  std::size_t columns_;
};

// The view of a flat array with so many columns.
inline MatrixView as_matrix(std::span<const double> values, std::size_t columns) { return {values, columns}; }

}  // namespace nextstat
#pragma GCC visibility pop
