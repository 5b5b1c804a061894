#include "errors.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "python_voice.h"

namespace nextstat::python {

namespace nb = nanobind;

namespace {

// Names of files need not be UTF-8: what is not becomes what os.fsdecode makes of it.
nb::object text_of(const std::string& text) {
  return nb::steal(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape"));
}

}  // namespace

// nextstat.errors.exception_of([(code, where, what, hint), ...], a file is missing) makes the exception.
void raise(const Errors& errors) {
  nb::list list;
  for (const Error& error : errors)
    list.append(nb::make_tuple(to_string(error.code), text_of(to_text(error.where, voice())),
                               text_of(error.what), text_of(to_text(error.hint, voice()))));
  const Error& first = errors.front();
  const bool file_missing =
      first.code == ErrorCode::NotFound && !first.where.file.empty() && first.where.inside.empty();
  const nb::object exception =
      nb::module_::import_("nextstat.errors").attr("exception_of")(list, file_missing);
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
  throw nb::python_error();
}

}  // namespace nextstat::python
