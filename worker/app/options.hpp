// The command line of hone-worker.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sdk/cpp/transport.hpp"

namespace hone::worker {

struct Options {
  Endpoint endpoint;
  int cpus = 1;
  int gpus = 0;
  std::vector<std::int64_t> gpu_memory;  // bytes of each GPU; empty: not known
  std::int64_t memory = 0;               // bytes; 0: not known
  bool memory_given = false;             // not what the machine has
  std::vector<std::string> labels;       // "KEY=VALUE"
  std::string data;                      // absolute
  std::string work_folder;               // absolute
  std::string name;                      // of this worker on the server
  bool die_with_parent = false;
  bool until_idle = false;
  double idle_s = 0;     // 0: no limit
  double ends_in_s = 0;  // likewise
  double drain_s = 60;
  std::string pilot;
  bool verbose = false;
  std::string rerun;  // a run to execute again without a server (worker/process/rerun.hpp)
};

// Parses the command line. nullopt after --help, --version or a usage error, which are printed; the
// program then exits with `exit_code`.
std::optional<Options> read_options(int argc, char** argv, int& exit_code);

}  // namespace hone::worker
