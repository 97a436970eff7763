// Child processes: started under a keeper (keeper.hpp), signalled and collected with all that they
// start.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "base/result.hpp"

namespace hone::worker {

struct ChildSpec {
  std::vector<std::string> argv;  // argv[0] is looked up on the PATH of env, unless it has a slash
  std::vector<std::string> env;   // "NAME=value"
  std::string folder;             // its working folder
  std::int64_t file_bytes_max{};  // of one file that it writes; 0: as much as it likes
};

struct Child {
  pid_t pid = 0;   // of its keeper
  FileHandle out;  // non-blocking ends of its stdout and stderr
  FileHandle err;
};

// The child gets SIGKILL when the calling thread ends, so call it from a thread that lives as long
// as the process. Its stdin is empty, and no other descriptor of ours is open in it. Refuses with
// not_found or invalid and a sentence when the program cannot be run.
Result<Child> start_child(const ChildSpec& spec);

// SIGTERM: to the process group of the trial. SIGKILL: to it and all its descendants.
void signal_child(pid_t pid, int signal);

struct ChildEnd {
  bool by_signal = false;
  int number = 0;  // exit status or signal
};

// nullopt while it, or anything that it had started, is still there.
std::optional<ChildEnd> collect_child(pid_t pid);

}  // namespace hone::worker
