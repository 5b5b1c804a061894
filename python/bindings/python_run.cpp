#include "python_run.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <nextstat/result_json.h>
#include <nextstat/threads.h>

#include <tuple>
#include <utility>
#include <vector>

#include "arrays.h"
#include "json_to_python.h"

namespace nextstat::python {

namespace nb = nanobind;

namespace {

// Reports are for people: more often is of no use, and each takes the interpreter lock.
constexpr std::chrono::milliseconds kBetweenReports{100};

using Pairs = std::vector<std::pair<std::string, double>>;

std::vector<NamedValue> named_values(const nb::dict& run, const char* key) {
  std::vector<NamedValue> values;
  Pairs pairs;
  take(run, key, pairs);
  for (auto& [name, value] : pairs) values.push_back({std::move(name), value});
  return values;
}

}  // namespace

PythonRun::PythonRun(nb::dict run) : progress_(nb::none()), failure_(nb::none()) {
  if (run.contains("data")) options.data = numbers_or_none(run["data"], "data");
  options.init = named_values(run, "init");
  options.fixed = named_values(run, "fixed");
  take(run, "freed", options.freed);
  std::vector<std::tuple<std::string, double, double>> bounds;
  take(run, "bounds", bounds);
  for (auto& [name, low, high] : bounds) options.bounds.push_back({name, low, high});
  take(run, "starts", options.starts);
  take(run, "threads", options.threads);
  take(run, "instruction_set", options.instruction_set);
  take(run, "device", options.device);
  take(run, "fallback", options.fallback);
  take(run, "device_memory", options.device_memory);
  options.stop = stop_.get_token();
  if (run.contains("progress")) progress_ = run["progress"];
  if (!progress_.is_none())
    options.on_progress = [this](std::size_t done, std::size_t total) { report(done, total); };
}

PythonRun::PythonRun(nb::dict run, const PythonModel& model) : PythonRun(run) {
  session_ = model.session;
  if (session_) options = session_->with(std::move(options));
}

void PythonRun::report(std::size_t done, std::size_t total) {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_report_ < kBetweenReports) return;
  last_report_ = now;
  const nb::gil_scoped_acquire acquire;
  if (!failure_.is_none()) return;
  try {
    progress_(done, total);
  } catch (nb::python_error& error) {
    // A report that fails stops the work; the exception is raised when it has stopped.
    failure_ = nb::borrow(error.value());
    stop_.request_stop();
  }
}

bool PythonRun::interrupted_in_report() const {
  return !failure_.is_none() && PyErr_GivenExceptionMatches(failure_.ptr(), PyExc_KeyboardInterrupt);
}

void PythonRun::finish_progress() {
  if (failure_.is_none()) return;
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(failure_.ptr())), failure_.ptr());
  throw nb::python_error();
}

Dictionary PythonRun::answer(nlohmann::json result, const std::string& schema, const DeviceUse& device,
                             const std::string& digest, bool interrupted) {
  // Also where the work was finished when Ctrl-C came: nothing is lost then either.
  const bool stopped = interrupted || stop_.stop_requested();
  if (stopped) take_interrupt_back();
  if (!device.fallback.empty()) result["warnings"].push_back(device.fallback + "; the CPU is used instead");
  if (const std::string refused = refused_threads(); !refused.empty()) result["warnings"].push_back(refused);
  add_header(result,
             {.schema = schema, .workspace_digest = digest, .device = device, .wall_time_s = seconds_});
  Dictionary answer = nb::borrow<Dictionary>(to_python(result));
  answer["stopped"] = stopped;
  return answer;
}

}  // namespace nextstat::python
