// nextstat._core: the library as Python sees it, without policy.
// python/nextstat makes names, defaults, records and sentences.
#include <nextstat/version.h>

#include "bind.h"

NB_MODULE(_core, module) {
  namespace python = nextstat::python;
  // A thread that still works when the interpreter ends keeps its objects: that is no fault of the user's.
  nanobind::set_leak_warnings(false);
  module.doc() = "The compiled part of nextstat. Use the functions of the package instead.";
  module.def("version", &nextstat::version_string);
  module.def("compiler", &nextstat::compiler_string);
  module.def("instruction_set", &nextstat::instruction_set_name,
             "The instruction set that the kernels use on this processor.");
  python::bind_screen(module);
  python::bind_names(module);
  python::bind_workspace(module);
  python::bind_model(module);
  python::bind_fit(module);
  python::bind_profile(module);
  python::bind_tests(module);
  python::bind_toys(module);
  python::bind_toy_tests(module);
  python::bind_mass_scan(module);
  python::bind_session(module);
  python::bind_devices(module);
}
