// The names that arguments take, from the library's tables.
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <nextstat/backends.h>
#include <nextstat/documents.h>
#include <nextstat/hypotest.h>
#include <nextstat/model.h>
#include <nextstat/ranking.h>
#include <nextstat/version.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bind.h"
#include "errors.h"

namespace nextstat::python {

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace {

std::map<std::string, std::vector<std::string>> names() {
  return {{"normsys_code", names_in(normsys_codes())},
          {"histosys_code", names_in(histosys_codes())},
          {"test_stat", names_in(test_statistics())},
          {"calctype", names_in(calculators())},
          {"impact", names_in(impacts())},
          {"join", names_in(joins())},
          {"algorithm", digest_algorithms()},
          {"device", device_names()},
          {"instruction_set", instruction_set_names()}};
}

}  // namespace

void bind_names(nb::module_& module) {
  module.def("names", &names, "The names that an argument takes, by argument.");
  module.def(
      "uses_toys",
      [](const std::string& calctype) { return value_of(parse_calculator(calctype)) == Calculator::Toys; },
      "calctype"_a, "Whether a question is answered from toys; raises for an unknown name.");
}

}  // namespace nextstat::python
