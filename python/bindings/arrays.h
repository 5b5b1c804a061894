// Numbers from Python and back: arrays of doubles are read in place, NumPy converts everything else.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <span>
#include <vector>

namespace nextstat::python {

// One value, one row or several rows of doubles; alive as long as this is.
class Numbers {
 public:
  // name: of the argument, for messages.
  Numbers(nanobind::handle object, const char* name);
  ~Numbers();
  Numbers(const Numbers&) = delete;
  Numbers& operator=(const Numbers&) = delete;

  std::span<const double> values() const { return {static_cast<const double*>(view_.buf), size_}; }
  std::size_t dimensions() const { return static_cast<std::size_t>(view_.ndim); }
  std::size_t columns() const { return static_cast<std::size_t>(view_.shape[view_.ndim - 1]); }

 private:
  bool take(nanobind::handle object);

  Py_buffer view_{};
  std::size_t size_ = 0;
};

// NumPy arrays that own the numbers.
nanobind::object array(std::vector<double> values);
nanobind::object array(std::vector<double> values, std::size_t rows, std::size_t columns);
nanobind::object array(std::vector<double> values, std::size_t planes, std::size_t rows, std::size_t columns);

// None = empty.
std::vector<double> numbers_or_none(nanobind::handle object, const char* name);

}  // namespace nextstat::python
