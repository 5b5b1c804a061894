// One line on standard error that tells how far a long work is: bar, done / total, rate, time left.
//
//   ProgressLine line(true);
//   options.on_progress = [&](std::size_t done, std::size_t total) { line.update(done, total); };
//   ...;  line.erase();
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace nextstat::cli {

// What the line says after `seconds` of work.
std::string progress_text(std::size_t done, std::size_t total, double seconds);

// Nothing is written unless standard error is a terminal. The line appears after 0.3 s and changes at most
// ten times a second. A count that goes back, or another total, starts a new work.
class ProgressLine {
 public:
  explicit ProgressLine(bool wanted);
  ~ProgressLine() { erase(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void update(std::size_t done, std::size_t total);
  void erase();

 private:
  using Clock = std::chrono::steady_clock;
  bool active_ = false, shown_ = false;
  Clock::time_point created_ = Clock::now(), started_ = created_, last_ = {};
  std::size_t done_ = 0, total_ = 0;
};

}  // namespace nextstat::cli
