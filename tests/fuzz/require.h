// A promise that a fuzz target checks: breaking it stops the run like a crash, with the input kept.
#pragma once

#include <nextstat/error.h>

#include <cstdio>
#include <cstdlib>

namespace nextstat {

inline void require(bool kept, const char* promise) {
  if (kept) return;
  std::fprintf(stderr, "broken promise: %s\n", promise);
  std::abort();
}

inline void check_errors(const Errors& errors) {
  for (const Error& error : errors) require(!error.what.empty() && !error.hint.empty(), "faults have words");
}

}  // namespace nextstat
