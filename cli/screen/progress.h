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

// "12 s", "3:19 min", "2:00 h".
std::string duration_text(double seconds);

// What the line says after `seconds` of work. `unit` is what is counted: "toys".
std::string progress_text(std::size_t done, std::size_t total, double seconds, const std::string& unit = "");

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
  void set_unit(std::string unit) { unit_ = std::move(unit); }
  // Shown at the end of the line from its next change on.
  void set_note(std::string note) { note_ = std::move(note); }
  // A line of its own that stays.
  void announce(const std::string& text);

 private:
  using Clock = std::chrono::steady_clock;
  bool active_ = false, shown_ = false;
  Clock::time_point created_ = Clock::now(), started_ = created_, last_ = {};
  std::size_t done_ = 0, total_ = 0;
  std::string unit_, note_;
};

}  // namespace nextstat::cli
