// What the examples do about errors: say every one of them, and end.
#pragma once

#include <nextstat/nextstat.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

// The value of a result. If there is none, the program ends with status 2.
template <class T>
T checked(nextstat::Result<T> result) {
  if (result) return *std::move(result);
  for (const nextstat::Error& error : result.errors())
    std::fprintf(stderr, "error: %s\n", nextstat::to_text(error).c_str());
  std::exit(2);
}
