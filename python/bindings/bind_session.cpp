// A model in a session: opened here, carried by the model as Python holds it.
#include <nanobind/stl/string.h>
#include <nextstat/result_json.h>
#include <nextstat/session.h>

#include "bind.h"
#include "errors.h"
#include "json_to_python.h"
#include "python_model.h"
#include "python_run.h"

namespace nextstat::python {

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace {

Session& open_session_of(const PythonModel& self) {
  if (self.session) return *self.session;
  raise({{ErrorCode::BadUsage, "session", "it is closed", "open another one"}});
}

void open(PythonModel& self, nb::dict settings) {
  SessionOptions options;
  take(settings, "device", options.device);
  take(settings, "fallback", options.fallback);
  take(settings, "device_memory", options.device_memory);
  take(settings, "threads", options.threads);
  take(settings, "instruction_set", options.instruction_set);
  Result<Session> session = [&] {
    const nb::gil_scoped_release release;
    return Session::open(self.model, options);
  }();
  self.session = std::make_shared<Session>(value_of(std::move(session)));
}

// A question that is under way in another thread keeps the session until its answer is there.
void close(PythonModel& self) {
  std::shared_ptr<Session> last = std::move(self.session);
  const nb::gil_scoped_release release;
  last.reset();
}

nb::object facts(const PythonModel& self) {
  const Session& session = open_session_of(self);
  return to_python({{"device", session.device().name},
                    {"precision", session.device().precision},
                    {"choice", session.device().choice},
                    {"fallback", session.device().fallback},
                    {"instruction_set", session.instruction_set()},
                    {"capabilities", capabilities_json(session.capabilities())}});
}

nb::object traffic(const PythonModel& self) {
  open_session_of(self);
  const std::shared_ptr<Session> session = self.session;
  Traffic traffic;
  {
    const nb::gil_scoped_release release;
    traffic = session->traffic();
  }
  return to_python({{"bytes_to_device", traffic.bytes_to_device},
                    {"bytes_from_device", traffic.bytes_from_device},
                    {"launches", traffic.launches},
                    {"synchronizations", traffic.synchronizations}});
}

}  // namespace

void bind_session(nb::module_& module) {
  const auto facts_sig = nb::sig("def session_facts(model: Model) -> dict[str, typing.Any]");
  module.def("open_session", &open, "model"_a, "settings"_a,
             nb::sig("def open_session(model: Model, settings: dict[str, typing.Any]) -> None"),
             "Every question about this model is answered in one session from now on.");
  module.def("close_session", &close, "model"_a);
  module.def("session_facts", &facts, "model"_a, facts_sig);
  module.def("session_traffic", &traffic, "model"_a,
             nb::sig("def session_traffic(model: Model) -> dict[str, int]"));
}

}  // namespace nextstat::python
