// Processes: starting a program, ending with the parent, how a child ended.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace hone {

struct ProcessSpec {
  std::vector<std::string> argv;
  std::string program{};                          // its file; empty: argv[0] as PATH resolves it
  std::optional<std::vector<std::string>> env{};  // "NAME=value"; nullopt: that of the caller
  std::string folder{};                           // its working folder; empty: the caller's
  int in = -1, out = -1, err = -1;  // descriptors for its stdio; -1: those of the caller
  std::vector<int> inherited{};     // descriptors it has besides stdio, under the same numbers
  int death_signal = 0;             // sent to it when the calling thread ends; 0: none
  bool own_group = false;           // its own process group: no Ctrl-C of the terminal
  std::int64_t file_bytes_max = 0;  // of one file that it writes; 0: unbounded
};

// A prepared child: after the fork of a process with threads only async-signal-safe calls are
// allowed, and no allocation.
class ChildImage {
 public:
  ChildImage(const ProcessSpec& spec, int fault);  // `spec` must outlive it

  // In the child: becomes the program, with default signal handling. Reports a failure to `fault`.
  [[noreturn]] void exec() const;

  [[nodiscard]] const ProcessSpec& spec() const { return spec_; }
  [[nodiscard]] pid_t parent() const { return parent_; }
  [[nodiscard]] int fault() const { return fault_; }  // takes an errno, and closes on exec

 private:
  const ProcessSpec& spec_;
  std::vector<char*> argv_, env_;
  pid_t parent_;
  int fault_;
};

// Starts the program. Returns once it runs, or refuses with invalid and the system's reason if it
// cannot be executed, with busy and the reason if no process can be made. The caller must collect
// it. `begin`, if given, runs in the child with all signals blocked; it ends in ChildImage::exec.
Result<pid_t> start_process(const ProcessSpec& spec, void (*begin)(const ChildImage&) = nullptr);

// Runs `body` in a copy of this process, which gets SIGKILL when the calling thread ends and exits
// with 0 after `body`. Precondition: this process has no other threads. Refuses with busy.
Result<pid_t> fork_process(const std::function<void()>& body);

// Lets the kernel send `signal` to this process when the thread of `parent` that forked it ends.
// False if `parent` has already ended.
bool end_with_parent(pid_t parent, int signal);

// Waits for the end of a child; its status as waitpid(2) reports it.
int wait_for(pid_t pid);

// Returns the stdout of a program that ended with 0. Nullopt, and its process group is killed,
// after `time_ms` (-1: no limit) or beyond `bytes_max`. Its stdin is empty and its stderr is lost.
// Sets in, out, err, own_group and death_signal of `spec`.
std::optional<std::string> captured_output(ProcessSpec spec, int time_ms, std::size_t bytes_max);

// Replaces this process. Returns only on failure, with Code::internal and the system's reason.
Error exec_program(const std::string& path, const std::vector<std::string>& argv);

}  // namespace hone
