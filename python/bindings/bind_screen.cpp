// Text for screens: the rule of the command line.
#include <nanobind/stl/string.h>
#include <nextstat/text.h>

#include "bind.h"

namespace nextstat::python {

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace {

std::string_view view(const nb::bytes& text) { return {text.c_str(), text.size()}; }

}  // namespace

void bind_screen(nb::module_& module) {
  module.def(
      "printable", [](const nb::bytes& text) { return printable(view(text)); }, "text"_a);
  module.def(
      "printable_lines", [](const nb::bytes& text) { return printable_lines(view(text)); }, "text"_a);
}

}  // namespace nextstat::python
