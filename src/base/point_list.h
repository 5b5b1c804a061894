// PointList of equal length, one after the other in one array: starts of fits, candidates for them.
//
//   PointList starts{model.initial()};
//   starts.add(another);
//   starts[1][poi] = 0;
#pragma once

#include <algorithm>
#include <initializer_list>
#include <span>
#include <vector>

namespace nextstat {

class PointList {
 public:
  PointList() = default;
  PointList(std::initializer_list<std::span<const double>> points) {
    for (const std::span<const double> point : points) add(point);
  }

  std::size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  // The first one decides the length.
  void add(std::span<const double> point) {
    values_.insert(values_.end(), point.begin(), point.end());
    ++count_;
  }
  std::span<double> operator[](std::size_t i) { return std::span(values_).subspan(i * width(), width()); }
  std::span<const double> operator[](std::size_t i) const {
    return std::span(values_).subspan(i * width(), width());
  }
  void set(std::size_t i, std::span<const double> point) {
    std::copy(point.begin(), point.end(), (*this)[i].begin());
  }
  std::vector<double> copy(std::size_t i) const { return {(*this)[i].begin(), (*this)[i].end()}; }
  std::span<const double> flat() const { return values_; }  // [point][coordinate]

 private:
  std::size_t width() const { return values_.size() / count_; }

  std::vector<double> values_;
  std::size_t count_ = 0;
};

}  // namespace nextstat
