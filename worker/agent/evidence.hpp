// Classifies the end of a process by its signal, the kernel's count of out-of-memory kills, and the
// end of its log. Two tables, described in docs/failures.md.
#pragma once

#include <string>
#include <string_view>

#include "schemas/types/states.hpp"

namespace hone::worker {

struct ProcessEnd {
  bool with_failure = false;     // a signal, or a status that is not 0
  int signal = 0;                // 0: it exited
  bool memory_ran_out = false;   // the kernel killed a process for lack of memory while it ran
  bool memory_exceeded = false;  // a process of the run, for resources.memory
};

struct Evidence {
  Failure failure = Failure::user_error;
  std::string text;             // why; empty if only the status is known
  bool file_too_large = false;  // it wrote beyond a limit on the size of one file
  bool gpu_full = false;        // oom: of the memory of a GPU
};

// In this order: a kill for its own limit of memory; SIGKILL with an out-of-memory kill; the table
// of log patterns, of which the last match counts; the table of signals; else the program itself
// failed.
Evidence evidence_of(const ProcessEnd& end, std::string_view log_tail);

}  // namespace hone::worker
