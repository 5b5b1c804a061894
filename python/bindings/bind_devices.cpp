// Devices: what is here, which one is chosen, and why.
#include <nanobind/stl/string.h>
#include <nextstat/backends.h>
#include <nextstat/result_json.h>

#include "bind.h"
#include "errors.h"
#include "json_to_python.h"
#include "python_voice.h"

namespace nextstat::python {

namespace nb = nanobind;
void bind_devices(nb::module_& module) {
  module.def(
      "devices",
      [] {
        nlohmann::json list = nlohmann::json::array();
        {
          const nb::gil_scoped_release release;
          for (const BackendReport& report : discover_backends())
            list.push_back(backend_json(report, voice()));
        }
        return to_python(list);
      },
      nb::sig("def devices() -> list[dict[str, typing.Any]]"));
  module.def("backend_summary", [] {
    const nb::gil_scoped_release release;
    return backend_summary();
  });
  module.def("recommended_device", [] {
    const nb::gil_scoped_release release;
    return std::string(to_string(best_available_backend()));
  });
}

}  // namespace nextstat::python
