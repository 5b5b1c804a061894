// A model on the device that the options ask for, or on the one that suits the work.
//
//   Result<OpenedSession> opened = open_session(model, options.run, {.fits = 1000});
//   opened->session->minimize(...);
//   opened->use;                      // what the result says about it
#pragma once

#include <nextstat/run.h>

#include <memory>
#include <mutex>
#include <span>

#include "device/backend.h"

namespace nextstat {

// What a question will ask for, roughly: it decides whether a GPU pays.
struct WorkEstimate {
  double fits = 1;
  double evaluations = 0;  // of single points
};

// The session of one question: its own, or one that is lent and busy with it meanwhile.
struct LentSession {
  DeviceSession* session = nullptr;
  std::unique_lock<std::recursive_mutex> turn = {};  // of a session that is lent
  std::unique_ptr<DeviceSession> own = {};
  DeviceUse use = {};
  std::size_t threads = 0;  // of the host, for what the question does itself

  DeviceSession& operator*() const { return *session; }
  DeviceSession* operator->() const { return session; }
};

struct OpenedSession {
  std::unique_ptr<DeviceSession> session;
  DeviceUse use;
};

// Auto takes the CPU where estimated_cpu_seconds() is below this: a GPU has to start first.
constexpr double kWorthAGpu = 2.0;

// With all cores, however many threads are asked for: the device, like every number, does not depend on it.
double estimated_cpu_seconds(const Model& model, const WorkEstimate& work);

// Errors: DeviceUnavailable with the reason where a device asked for by name cannot be used.
Result<OpenedSession> open_session(const Model& model, const RunOptions& options, const WorkEstimate& work);

// The session that the options name, kept busy until the question is answered; without one, a session for it alone.
Result<LentSession> session_for(const Model& model, const RunOptions& options, const WorkEstimate& work);

// The same with other backends than those of this build.
Result<OpenedSession> open_session(std::span<const Backend* const> backends, const Model& model,
                                   const RunOptions& options, const WorkEstimate& work);

}  // namespace nextstat
