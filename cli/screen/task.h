// The work of a verb: a progress line, Ctrl-C, and a clock that counts the library call alone. Made when all
// is loaded: from then on Ctrl-C is a request to stop.
//
//   Task task(true);
//   RunOptions options;  task.attach(options);
//   auto result = task.timed([&] { return scan(model, {.run = options}); });
//   task.wall_time_s();
#pragma once

#include <nextstat/run.h>

#include <chrono>
#include <memory>
#include <stop_token>

#include "screen/console.h"
#include "screen/interrupt.h"
#include "screen/progress.h"

namespace nextstat::cli {

class Task {
 public:
  explicit Task(bool progress) : progress_(progress) {}

  // Calls of the library with these options show progress and stop at Ctrl-C. The task must outlive them.
  void attach(RunOptions& options) {
    options.on_progress = [this](std::size_t done, std::size_t total) { progress_.update(done, total); };
    options.stop = stop_.get_token();
  }

  // Runs the work. Times of several calls add up.
  template <class Body>
  auto timed(Body&& body) {
    const auto start = std::chrono::steady_clock::now();
    auto result = body();
    wall_time_s_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    progress_.erase();
    return result;
  }

  ProgressLine& progress() { return progress_; }
  double wall_time_s() const { return wall_time_s_; }
  // Ctrl-C was pressed. The work may have been finished all the same: its result knows.
  bool stop_requested() const { return stop_.stop_requested(); }

 private:
  ProgressLine progress_;
  std::stop_source stop_;
  const Interrupt interrupt_{stop_};  // to the end: a finished result is still to be written
  double wall_time_s_ = 0;
};

// The exit code of a verb that fits. `complete`: every number that it was asked for exists.
constexpr int exit_code(bool converged, bool interrupted, bool complete = true) {
  if (interrupted) return kInterrupted;
  return converged && complete ? kDone : kNotConverged;
}

}  // namespace nextstat::cli
