// Passing errors on: TRY gives a name to the value of a Result, or leaves the function with its errors.
//
//   TRY(Workspace workspace, load_workspace(path));
//   TRY_DO(check(workspace));                         // where there is no value to keep
//
// Each is a statement of its own, not the body of an if without braces.
#pragma once

#include <nextstat/result.h>

#include <utility>

#define NEXTSTAT_JOIN_AGAIN(a, b) a##b
#define NEXTSTAT_JOIN(a, b) NEXTSTAT_JOIN_AGAIN(a, b)
#define NEXTSTAT_TRY(result, declaration, ...) \
  auto result = __VA_ARGS__;                   \
  if (!result) return result.errors();         \
  declaration = *std::move(result)

#define TRY(declaration, ...) NEXTSTAT_TRY(NEXTSTAT_JOIN(tried_, __COUNTER__), declaration, __VA_ARGS__)
#define TRY_DO(...)                                                             \
  do {                                                                          \
    if (auto tried_here = __VA_ARGS__; !tried_here) return tried_here.errors(); \
  } while (false)
