// Child processes: started under a keeper (keeper.hpp), signalled and collected together with their
// descendants.
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
  std::int64_t file_bytes_max{};  // limit of one file that it writes; 0: none
  int group = -1;                 // MemoryGroup::joins: it joins this group; -1: none
};

struct Child {
  pid_t pid = 0;   // of its keeper
  FileHandle out;  // non-blocking ends of its stdout and stderr
  FileHandle err;
};

// The child gets SIGKILL when the calling thread ends: call it from a thread that lives as long as
// the process. Its stdin is empty, and it inherits no other descriptor. Fails with not_found or
// invalid if the program cannot be run, with busy if the system has no process or descriptor left.
Result<Child> start_child(const ChildSpec& spec);

// Sends SIGTERM to the process group of the trial, or SIGKILL to it and all its descendants.
void signal_child(pid_t pid, int signal);

struct ChildEnd {
  bool by_signal = false;
  int number = 0;    // exit status or signal
  double cpu_s = 0;  // processor time of the child and its descendants
};

// Reaps the child; nullopt while it or one of its descendants still runs. Does not block.
std::optional<ChildEnd> collect_child(pid_t pid);

}  // namespace hone::worker
