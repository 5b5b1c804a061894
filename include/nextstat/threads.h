// Threads that a system may refuse: limits of users, containers and memory. Then the work goes on with those that
// there are, at least the calling one, and refused_threads() has a sentence for a warning.
//
//   std::size_t threads = threads_of(8);  // 4 on a machine with four cores
//   std::cerr << refused_threads();
#pragma once

#include <cstddef>
#include <string>
#include <system_error>
#include <utility>

#pragma GCC visibility push(default)
namespace nextstat {

// How many threads a request for `threads` gets: 0 = all; never more than the machine has.
std::size_t threads_of(std::size_t threads);

// "" as long as every thread could be started.
std::string refused_threads();

// For a program that starts threads of its own: adds a refusal to that sentence.
void note_refused_thread(const std::system_error& refusal, const std::string& effect);

// Starts body() in a new thread, if the system gives one. `effect`: what follows if not, for the warning.
template <class Thread, class Body>
bool start_thread(Thread& thread, Body&& body, const std::string& effect) {
  try {
    thread = Thread(std::forward<Body>(body));
    return true;
  } catch (const std::system_error& refusal) {
    note_refused_thread(refusal, effect);
    return false;
  }
}

}  // namespace nextstat
#pragma GCC visibility pop
