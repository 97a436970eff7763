// A child process that does not outlive us: it gets SIGTERM from the kernel when we die, however we
// die.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "base/result.hpp"

namespace hone::cli {

struct Program {
  std::string name;               // for people: "server", "worker 1"
  std::vector<std::string> argv;  // argv[0] is a path
  std::string log;                // appended to: stderr, and stdout unless it is piped
};

struct Child {
  pid_t pid = 0;
  FileHandle stdout_end;       // our end of the pipe; empty where stdout goes to the log
  std::int64_t log_start = 0;  // size of the log before it wrote anything
};

// In its own process group: a Ctrl-C of the terminal reaches only this process, which decides what
// stops when. Call from the thread that lives longest (the kernel watches that one), with the
// signals blocked that `unblock` lists: the child gets them unblocked.
Result<Child> start(const Program& program, bool pipe_stdout);

// "exit status 2", "signal 9 (Killed)", of waitpid.
std::string end_text(int wait_status);

// The last sentence a process wrote to its log since `log_start`, without time stamps, level and
// program name; "" if it wrote nothing.
std::string last_sentence(const std::string& log, std::int64_t log_start);

// The part of last_sentence that needs no file.
std::string sentence_in(const std::string& log_text);

}  // namespace hone::cli
