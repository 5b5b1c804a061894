// Ctrl-C and SIGTERM:
//   before the work   a signal ends the program with a sentence and exit code 4
//   during the work   it asks the work to stop
//   after the work    the result is still written whole
// A second signal ends the program at once.
//
//   prepare_for_interrupts();                                 // at the start of main
//   std::stop_source stop;
//   Interrupt interrupt(stop);  work(stop.get_token());       // from here on a signal is a request
#pragma once

#include <stop_token>
#include <thread>

namespace nextstat::cli {

// From here on a signal ends the program with exit code 4. Signals ignored at program start stay ignored.
void prepare_for_interrupts();

// That end is reported as JSON instead of a sentence.
void report_interrupts_as_json();

// What is done must be written: the first signal from here on is a request that nobody needs to hear.
void hold_interrupts();

// Signals become requests to stop, for the rest of the program: after the work only its result is written.
// One Interrupt at a time.
class Interrupt {
 public:
  explicit Interrupt(std::stop_source stop);
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

 private:
  int read_end_ = -1, write_end_ = -1;
  std::thread watcher_;
};

}  // namespace nextstat::cli
