// A test framework in twenty lines: CHECK counts failures, `finish` reports them.
#pragma once

#include <cstdio>
#include <stdexcept>
#include <string>

inline int n_failures = 0;

#define CHECK(condition)                                                   \
  do {                                                                     \
    if (!(condition)) {                                                    \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      ++n_failures;                                                        \
    }                                                                      \
  } while (false)

// The message of the std::invalid_argument that a call throws, or "".
template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

inline int finish() { return n_failures == 0 ? 0 : 1; }
