// A promise that a fuzz target checks: breaking it stops the run like a crash, with the input kept.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace nextstat {

inline void require(bool kept, const char* promise) {
  if (kept) return;
  std::fprintf(stderr, "broken promise: %s\n", promise);
  std::abort();
}

}  // namespace nextstat
