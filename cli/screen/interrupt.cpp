#include "screen/interrupt.h"

#include <nextstat/threads.h>

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string_view>
#include <utility>

#include "screen/console.h"

namespace nextstat::cli {
namespace {

// A signal handler gets nothing but the signal's number, so all that it needs has to be global.
std::atomic<int> pipe_of_handler{-1};
std::atomic<bool> held{false}, in_json{false};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free,
              "needed in a signal handler");

constexpr std::string_view kSentence =
    "nextstat: error: interrupted before the work began\n"
    "  hint: nothing was written; start it again\n";
constexpr std::string_view kReport =
    R"({"code": "interrupted", "where": "nextstat", "what": "interrupted before the work began", )"
    R"("hint": "nothing was written; start it again", "errors": [{"code": "interrupted", "where": "nextstat", )"
    R"("what": "interrupted before the work began", "hint": "nothing was written; start it again"}]})"
    "\n";

// Only calls that are safe in a handler. A second signal acts as if there were none.
extern "C" void on_signal(int) {
  const int saved = errno;
  if (!held.load()) {
    const std::string_view text = in_json.load() ? kReport : kSentence;
    [[maybe_unused]] const auto written = write(STDERR_FILENO, text.data(), text.size());
    _exit(kInterrupted);
  }
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  const char byte = 1;
  [[maybe_unused]] const auto written = write(pipe_of_handler.load(), &byte, 1);
  errno = saved;
}

void install(int number) {
  struct sigaction action = {}, before = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(number, nullptr, &before);
  if (before.sa_handler != SIG_IGN) sigaction(number, &action, nullptr);
}

}  // namespace

void prepare_for_interrupts() {
  install(SIGINT);
  install(SIGTERM);
}

void report_interrupts_as_json() { in_json = true; }

void hold_interrupts() { held = true; }

Interrupt::Interrupt(std::stop_source stop) {
  int ends[2];
  if (pipe(ends) != 0) return;  // then signals end the program, as before
  read_end_ = ends[0];
  write_end_ = ends[1];
  const auto watch = [stop = std::move(stop), end = read_end_]() mutable {
    char byte = 0;
    ssize_t got = 0;
    do {
      got = read(end, &byte, 1);
    } while (got < 0 && errno == EINTR);
    if (got == 1) stop.request_stop();
  };
  if (!start_thread(watcher_, watch, "Ctrl-C ends the program without a result")) {
    close(read_end_);
    close(write_end_);
    return;
  }
  pipe_of_handler = write_end_;
  hold_interrupts();
}

Interrupt::~Interrupt() {
  if (!watcher_.joinable()) return;
  pipe_of_handler = -1;
  close(write_end_);  // the watcher reads the end of the pipe
  watcher_.join();
  close(read_end_);
}

}  // namespace nextstat::cli
