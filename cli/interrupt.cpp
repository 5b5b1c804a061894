#include "interrupt.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <utility>

namespace nextstat::cli {
namespace {

// A signal handler gets nothing but the signal's number, so the pipe it writes to has to be global.
std::atomic<int> pipe_of_handler{-1};
static_assert(std::atomic<int>::is_always_lock_free, "needed in a signal handler");

// Only calls that are safe in a handler: the next signal acts as if there were no handler, and the watcher
// wakes.
extern "C" void on_signal(int) {
  const int saved = errno;
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  const char byte = 1;
  [[maybe_unused]] const auto written = write(pipe_of_handler.load(), &byte, 1);
  errno = saved;
}

void install(int number, struct sigaction& before) {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(number, nullptr, &before);
  if (before.sa_handler != SIG_IGN) sigaction(number, &action, nullptr);
}

}  // namespace

Interrupt::Interrupt(std::stop_source stop) {
  int ends[2];
  if (pipe(ends) != 0) return;  // then signals end the program, as without this class
  read_end_ = ends[0];
  write_end_ = ends[1];
  watcher_ = std::thread([stop = std::move(stop), end = read_end_]() mutable {
    char byte = 0;
    ssize_t got = 0;
    do {
      got = read(end, &byte, 1);
    } while (got < 0 && errno == EINTR);
    if (got == 1) stop.request_stop();
  });
  pipe_of_handler = write_end_;
  install(SIGINT, before_interrupt_);
  install(SIGTERM, before_terminate_);
}

Interrupt::~Interrupt() {
  if (!watcher_.joinable()) return;
  sigaction(SIGINT, &before_interrupt_, nullptr);
  sigaction(SIGTERM, &before_terminate_, nullptr);
  pipe_of_handler = -1;
  close(write_end_);  // the watcher reads the end of the pipe
  watcher_.join();
  close(read_end_);
}

}  // namespace nextstat::cli
