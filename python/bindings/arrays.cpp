#include "arrays.h"

#include <string>

#include "errors.h"

namespace nextstat::python {

namespace nb = nanobind;

namespace {

Error unreadable(const char* name, const std::string& why) {
  return {ErrorCode::BadUsage, name, why, "give a list or an array of numbers"};
}

// Anything that NumPy can make doubles of. Aligned: arrays that lie askew in a buffer are copied.
nb::object converted(nb::handle object, const char* name) {
  try {
    const nb::module_ numpy = nb::module_::import_("numpy");
    return numpy.attr("require")(object, numpy.attr("float64"), "CA");
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_ValueError) && !error.matches(PyExc_TypeError)) throw;
    raise({unreadable(name, std::string("not numbers: ") + nb::str(error.value()).c_str())});
  }
}

template <std::size_t kDimensions>
nb::object owned(std::vector<double> values, const std::size_t (&shape)[kDimensions]) {
  auto* kept = new std::vector<double>(std::move(values));
  const nb::capsule owner(kept,
                          [](void* pointer) noexcept { delete static_cast<std::vector<double>*>(pointer); });
  return nb::ndarray<nb::numpy, double>(kept->data(), kDimensions, shape, owner).cast();
}

}  // namespace

bool Numbers::take(nb::handle object) {
  if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_ND | PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) != 0) {
    PyErr_Clear();
    return false;
  }
  if (view_.format && view_.format[0] == 'd' && view_.format[1] == '\0' && view_.ndim >= 1) return true;
  PyBuffer_Release(&view_);
  return false;
}

Numbers::Numbers(nb::handle object, const char* name) {
  if (!take(object)) {
    const nb::object made = converted(object, name);
    if (!take(made)) raise({unreadable(name, "a single number where a list is wanted")});
  }
  size_ = static_cast<std::size_t>(view_.len) / sizeof(double);
}

Numbers::~Numbers() {
  if (view_.obj) PyBuffer_Release(&view_);
}

nb::object array(std::vector<double> values) {
  const std::size_t size = values.size();
  return owned(std::move(values), {size});
}

nb::object array(std::vector<double> values, std::size_t rows, std::size_t columns) {
  return owned(std::move(values), {rows, columns});
}

nb::object array(std::vector<double> values, std::size_t planes, std::size_t rows, std::size_t columns) {
  return owned(std::move(values), {planes, rows, columns});
}

std::vector<double> numbers_or_none(nb::handle object, const char* name) {
  if (object.is_none()) return {};
  const Numbers numbers(object, name);
  if (numbers.values().empty()) raise({unreadable(name, "there are no numbers in it")});
  return {numbers.values().begin(), numbers.values().end()};
}

}  // namespace nextstat::python
