// What the worker of one attempt may record, with the reason of each bound: a worker that repeats
// itself must not fill the ledger. Reports are bounded by the phases of the sweep.
#pragma once

namespace hone {

struct AttemptLimit {
  const char* what;
  int most;
};

namespace attempt_limits {

// A worker records the code before the program starts, and again if it has changed at the end.
inline constexpr AttemptLimit codes{"versions of its code", 8};
// Two of each phase of the longest sweep (phases_max): 6 MB of the ledger.
inline constexpr AttemptLimit models{"checkpoints", 20'000};
// A run has at most 100 files; a program may replace each as often.
inline constexpr AttemptLimit files{"versions of its files", 10'000};

}  // namespace attempt_limits
}  // namespace hone
