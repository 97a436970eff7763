// simulate cluster: compares scheduling policies on a simulated cluster.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sdk/cli/session/command.hpp"

namespace hone::cli {

struct ClusterOptions {
  std::string file;
  std::vector<std::string> against;      // policies, in addition to those of the file
  std::vector<std::string> assignments;  // --set
  int seeds = 0;                         // 0: 20, or 1 for a trace
  std::int64_t seed = 1;                 // the first
};

Result<Exit> simulate_cluster(Session& session, const ClusterOptions& options);

}  // namespace hone::cli
