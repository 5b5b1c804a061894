#include "python_interrupt.h"

#include <nextstat/threads.h>

#include <nanobind/nanobind.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <mutex>
#include <optional>
#include <thread>

namespace nextstat::python {

namespace nb = nanobind;

namespace {

// A signal handler gets nothing but the signal's number, so what it needs has to be global.
std::atomic<int> pipe_of_handler{-1};
// Which call a signal was meant for: it may be heard after its end.
std::atomic<unsigned char> number_of_call{0};
struct sigaction handler_before = {};

// The call that a signal stops: one at a time, as only the main thread has one.
std::mutex stop_mutex;
std::optional<std::stop_source> stop_of_call;

// Only calls that are safe in a handler.
extern "C" void on_signal(int number, siginfo_t* info, void* context) {
  const int saved = errno;
  const unsigned char byte = number_of_call.load();
  [[maybe_unused]] const auto written = write(pipe_of_handler.load(), &byte, 1);
  if (handler_before.sa_flags & SA_SIGINFO) {
    handler_before.sa_sigaction(number, info, context);
  } else if (handler_before.sa_handler != SIG_IGN && handler_before.sa_handler != SIG_DFL) {
    handler_before.sa_handler(number);
  }
  errno = saved;
}

void watch(int read_end) {
  unsigned char byte = 0;
  for (;;) {
    const ssize_t got = read(read_end, &byte, 1);
    if (got == 0 || (got < 0 && errno != EINTR)) return;
    const std::lock_guard lock(stop_mutex);
    if (got == 1 && stop_of_call && byte == number_of_call.load()) stop_of_call->request_stop();
  }
}

// The thread that hears the handler lives as long as the process; a forked child makes its own.
bool start_watcher() {
  static pid_t owner = 0;
  if (owner == getpid()) return true;
  int ends[2];
  if (pipe(ends) != 0) return false;
  std::thread watcher;
  if (!start_thread(
          watcher, [end = ends[0]] { watch(end); }, "Ctrl-C is heard after the work only")) {
    close(ends[0]);
    close(ends[1]);
    return false;
  }
  watcher.detach();
  pipe_of_handler = ends[1];
  owner = getpid();
  return true;
}

bool in_main_thread() {
  // Never released: the interpreter may be gone when statics are.
  static const nb::object& threading = *new nb::object(nb::module_::import_("threading"));
  return threading.attr("current_thread")().is(threading.attr("main_thread")());
}

}  // namespace

Interrupt::Interrupt(const std::stop_source& stop) {
  if (!in_main_thread() || !start_watcher()) return;
  {
    const std::lock_guard lock(stop_mutex);
    if (stop_of_call) return;  // a call within a call: the outer one hears the signal
    stop_of_call = stop;
    ++number_of_call;
  }
  active_ = true;
  struct sigaction action = {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, nullptr, &handler_before);
  // Where Ctrl-C is ignored or ends the process, it keeps doing so.
  const bool plain = !(handler_before.sa_flags & SA_SIGINFO);
  if (plain && (handler_before.sa_handler == SIG_IGN || handler_before.sa_handler == SIG_DFL)) return;
  sigaction(SIGINT, &action, nullptr);
}

Interrupt::~Interrupt() {
  if (!active_) return;
  sigaction(SIGINT, &handler_before, nullptr);
  const std::lock_guard lock(stop_mutex);
  stop_of_call.reset();
}

void take_interrupt_back() {
  if (PyErr_CheckSignals() == 0) return;
  if (!PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) throw nb::python_error();
  PyErr_Clear();
}

}  // namespace nextstat::python
