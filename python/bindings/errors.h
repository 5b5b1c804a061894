// Errors of the library as exceptions of nextstat.errors.
#pragma once

#include <nextstat/result.h>

#include <utility>

namespace nextstat::python {

[[noreturn]] void raise(const Errors& errors);

// The value, or the exception that fits the errors.
template <class T>
T value_of(Result<T> result) {
  if (!result) raise(result.errors());
  return std::move(*result);
}

}  // namespace nextstat::python
