// Ctrl-C while the library works: the work is asked to stop, and Python's own handler hears of it too.
//
//   std::stop_source stop;
//   { const Interrupt interrupt(stop);  work(stop.get_token()); }
#pragma once

#include <stop_token>

namespace nextstat::python {

// Only in Python's main thread, which owns Ctrl-C; elsewhere this does nothing. Needs the interpreter lock.
class Interrupt {
 public:
  explicit Interrupt(const std::stop_source& stop);
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

 private:
  bool active_ = false;
};

// After work that was stopped: takes the pending KeyboardInterrupt back, so that the finished part can be
// returned. Another exception of a signal handler of the user's is thrown.
void take_interrupt_back();

}  // namespace nextstat::python
