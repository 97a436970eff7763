// Waits that Ctrl-C ends.
#pragma once

#include <csignal>

#include "schemas/types/instant.hpp"

namespace hone::cli {

// Returns true if SIGINT or SIGTERM arrives within the time. Outside this call both keep their
// usual effect.
bool interrupted_within(Duration time);

// While one exists, SIGINT and SIGTERM are held for interrupted_within instead of ending this
// process. Child processes inherit that unless they are started with the signals unblocked.
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
