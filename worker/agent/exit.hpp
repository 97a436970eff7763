// What the end of a process means for its run.
#pragma once

#include "worker/agent/words.hpp"

namespace hone::worker {

// How many phases of the run have reports, over all attempts, and how many there are.
struct Progress {
  int reported = 0;
  int phases = 1;
};

// For a process that nobody here asked to end. Fills reason, exit_code, detail and, for failures,
// log_tail. `files_bounded`: no file that it wrote could outgrow command.disk.
EndRequest end_of_exit(const Exited& exit, const Progress& progress, bool files_bounded = false);

}  // namespace hone::worker
