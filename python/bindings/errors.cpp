#include "errors.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

namespace nextstat::python {

namespace nb = nanobind;

// nextstat.errors.exception_of([(code, where, what, hint), ...]) makes the exception.
void raise(const Errors& errors) {
  nb::list list;
  for (const Error& error : errors)
    list.append(nb::make_tuple(to_string(error.code), error.where, error.what, error.hint));
  const nb::object exception = nb::module_::import_("nextstat.errors").attr("exception_of")(list);
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
  throw nb::python_error();
}

}  // namespace nextstat::python
