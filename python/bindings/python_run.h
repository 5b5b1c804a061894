// One call of the library from Python: options from a dictionary, the interpreter lock released, Ctrl-C,
// progress, and the answer as a dictionary with the header that every result has.
//
//   PythonRun work(run);
//   const ScanResult result = work.call([&] { return scan(model, {.run = work.options}); });
//   return work.answer(scan_json(model, result), "nextstat/scan/1", result.device, digest,
//                      result.interrupted);
#pragma once

#include <nanobind/nanobind.h>
#include <nextstat/run.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>

#include "errors.h"
#include "python_interrupt.h"
#include "python_model.h"

namespace nextstat::python {

// dict[str, Any]
using Dictionary = nanobind::typed<nanobind::dict, nanobind::str, nanobind::any>;

class PythonRun {
 public:
  // Keys of `run`: data, init, fixed, freed, bounds, threads, instruction_set, device, fallback,
  // device_memory, progress; all may be left out.
  explicit PythonRun(nanobind::dict run);
  // About a model, in its session if it has one.
  PythonRun(nanobind::dict run, const PythonModel& model);
  PythonRun(const PythonRun&) = delete;
  PythonRun& operator=(const PythonRun&) = delete;

  RunOptions options;  // points to this object

  template <class Call>
  auto call(Call&& call) {
    const Interrupt interrupt(stop_);
    auto result = [&] {
      const nanobind::gil_scoped_release release;
      const auto start = std::chrono::steady_clock::now();
      auto made = call();
      seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      return made;
    }();
    // Ctrl-C while a report runs comes up there; it has stopped the work as any other.
    if (!interrupted_in_report()) finish_progress();
    return value_of(std::move(result));
  }

  Dictionary answer(nlohmann::json result, const std::string& schema, const DeviceUse& device,
                    const std::string& digest, bool interrupted);

 private:
  void report(std::size_t done, std::size_t total);
  bool interrupted_in_report() const;
  void finish_progress();  // raises what a report raised

  std::stop_source stop_;
  std::shared_ptr<Session> session_;  // stays open until the answer is there
  nanobind::object progress_;         // callable(done, total) or None
  nanobind::object failure_;          // what the callable raised
  std::chrono::steady_clock::time_point last_report_ = std::chrono::steady_clock::now();
  double seconds_ = 0;
};

// Sets a field from an entry of a dictionary; where there is none, or None, the field keeps the library's default.
template <class T>
void take(const nanobind::dict& dictionary, const char* key, T& field) {
  if (!dictionary.contains(key)) return;
  const nanobind::object value = dictionary[key];
  if (value.is_none()) return;
  try {
    field = nanobind::cast<T>(value);
  } catch (const nanobind::cast_error&) {
    raise({{ErrorCode::BadUsage, key, std::string(nanobind::repr(value).c_str()) + " has the wrong type",
            "see the documentation of the function"}});
  }
}

}  // namespace nextstat::python
