// How often the kernel has killed for want of memory: the evidence that a SIGKILL was its own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hone::worker {

// The counters that this process may read: of its control group (v2, else v1) and of the whole
// machine.
std::vector<std::string> oom_counters();

// The sum of the lines "oom_kill N" of these files. A file that is not there counts nothing.
std::int64_t oom_kills(const std::vector<std::string>& counters);

}  // namespace hone::worker
