// How often the kernel has killed for lack of memory: the evidence that it sent a SIGKILL.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hone::worker {

// The files with the counters of this process's control group (v2 and v1) and of the whole machine.
std::vector<std::string> oom_counters();

// The control group of this process, below the root of a version 1 controller ("" for version 2).
std::string path_of_group(const std::string& controller);

// The sum of the lines "oom_kill N" of these files. A missing file counts as 0.
std::int64_t oom_kills(const std::vector<std::string>& counters);

}  // namespace hone::worker
