// Ctrl-C as a request: the first SIGINT or SIGTERM asks the work to stop, the second ends the program at
// once.
//
//   std::stop_source stop;
//   { Interrupt interrupt(stop);  work(stop.get_token()); }   // from here on signals act as before
#pragma once

#include <signal.h>

#include <stop_token>
#include <thread>

namespace nextstat::cli {

// One at a time. A signal that the program was started to ignore stays ignored.
class Interrupt {
 public:
  explicit Interrupt(std::stop_source stop);
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

 private:
  int read_end_ = -1, write_end_ = -1;
  struct sigaction before_interrupt_ = {}, before_terminate_ = {};
  std::thread watcher_;
};

}  // namespace nextstat::cli
