// How a run ends when its process exits.
#pragma once

#include "worker/agent/messages.hpp"

namespace hone::worker {

// How many phases of the run have reports, over all attempts, and how many there are.
struct Progress {
  int reported = 0;
  int phases = 1;
  std::string refused{};  // why the server did not take a report; empty if it took all
};

// For a process that the worker did not end. Sets reason, exit_code, detail and, for failures,
// log_tail. `files_bounded`: RLIMIT_FSIZE was set to command.disk.
EndRequest end_of_exit(const Exited& exit, const Progress& progress, bool files_bounded = false);

}  // namespace hone::worker
