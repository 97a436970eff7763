// Waiting that Ctrl-C ends.
#pragma once

#include <csignal>

#include "schemas/types/instant.hpp"

namespace hone::cli {

// True when SIGINT or SIGTERM came within the time. Outside of this call both do what they always
// do.
bool interrupted_within(Duration time);

// While one lives, SIGINT and SIGTERM wait for interrupted_within instead of ending this process.
// Programs started meanwhile inherit that, unless they are started with the signals unblocked.
class InterruptsHeld {
 public:
  InterruptsHeld();
  ~InterruptsHeld();
  InterruptsHeld(const InterruptsHeld&) = delete;
  InterruptsHeld& operator=(const InterruptsHeld&) = delete;

 private:
  sigset_t before_;
};

}  // namespace hone::cli
