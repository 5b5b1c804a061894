// The parts of the module nextstat._core: one function, one file per concept.
#pragma once

#include <nanobind/nanobind.h>

namespace nextstat::python {

void bind_screen(nanobind::module_& module);
void bind_names(nanobind::module_& module);
void bind_workspace(nanobind::module_& module);
void bind_model(nanobind::module_& module);
void bind_fit(nanobind::module_& module);
void bind_profile(nanobind::module_& module);
void bind_tests(nanobind::module_& module);
void bind_toys(nanobind::module_& module);
void bind_toy_tests(nanobind::module_& module);
void bind_mass_scan(nanobind::module_& module);
void bind_session(nanobind::module_& module);
void bind_devices(nanobind::module_& module);

}  // namespace nextstat::python
