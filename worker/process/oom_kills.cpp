#include "worker/process/oom_kills.hpp"

#include <fstream>

namespace hone::worker {

// v2 has one line, "0::/user.slice/..."; v1 has one for each controller, "4:memory:/...".
std::string path_of_group(const std::string& controller) {
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string names = "," + line.substr(first + 1, second - first - 1) + ",";
    if (names.find("," + controller + ",") != std::string::npos) return line.substr(second + 1);
  }
  return {};
}

std::vector<std::string> oom_counters() {
  return {"/sys/fs/cgroup" + path_of_group("") + "/memory.events",
          "/sys/fs/cgroup/memory" + path_of_group("memory") + "/memory.oom_control",
          "/proc/vmstat"};
}

std::int64_t oom_kills(const std::vector<std::string>& counters) {
  std::int64_t sum = 0;
  for (const std::string& path : counters) {
    std::ifstream file(path);
    std::string name;
    std::int64_t count = 0;
    while (file >> name >> count)
      if (name == "oom_kill") sum += count;
  }
  return sum;
}

}  // namespace hone::worker
