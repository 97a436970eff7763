// Whose fault the end of a process was, from what can be known of it: its signal, the kernel's word
// about memory, and what it wrote last. Two visible tables; docs/failures.md says them in words.
#pragma once

#include <string>
#include <string_view>

#include "schemas/types/states.hpp"

namespace hone::worker {

struct Death {
  bool with_failure = false;    // a signal, or a status that is not 0
  int signal = 0;               // 0: it exited
  bool memory_ran_out = false;  // the kernel killed for want of memory while it ran
};

struct Evidence {
  Failure failure = Failure::user_error;
  std::string text;             // what it was taken from; empty where nothing but the status spoke
  bool file_too_large = false;  // it wrote beyond a bound on the size of one file
};

// In this order: the kernel's word about memory, with SIGKILL; the table of the log, where the last
// match counts; the table of signals; else the program itself failed.
Evidence evidence_of(const Death& death, std::string_view log_tail);

}  // namespace hone::worker
