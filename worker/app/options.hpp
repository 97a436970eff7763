// The command line of hone-worker.
#pragma once

#include <optional>
#include <string>

#include "sdk/cpp/transport.hpp"

namespace hone::worker {

struct Options {
  Endpoint endpoint;
  int cpus = 1;
  int gpus = 0;
  std::string data;         // absolute
  std::string work_folder;  // absolute
  std::string name;         // as the server lists this worker
  bool die_with_parent = false;
  bool until_idle = false;
  bool verbose = false;
};

// nullopt when the program has already said all (--help, --version or a usage error); then
// `exit_code` is what to leave with.
std::optional<Options> read_options(int argc, char** argv, int& exit_code);

}  // namespace hone::worker
