// Always-on assertion of our own mistakes; never for input. Kept in Release: a wrong ledger is
// worse than a dead server.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <source_location>

namespace hone {

inline void expect(bool holds, const char* what,
                   std::source_location where = std::source_location::current()) {
  if (holds) [[likely]]
    return;
  std::fprintf(stderr, "hone: broken promise: %s (%s:%u)\n", what, where.file_name(), where.line());
  std::abort();
}

[[noreturn]] inline void unreachable(std::source_location where = std::source_location::current()) {
  expect(false, "unreachable", where);
  std::abort();
}

}  // namespace hone
