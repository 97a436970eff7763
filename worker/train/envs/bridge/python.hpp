// A Python process that runs host.py. Internal to worker/train/envs/bridge.
#pragma once

#include <sys/types.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "base/result.hpp"

namespace hone::envs::bridge {

// The value of HONE_PYTHON, else ~/.hone/python/bin/python, where `hone doctor --install` puts
// packages, else python3.
std::string python_program();

class Python {
 public:
  // words: the arguments of host.py. inherited: the descriptors that it gets, with the same
  // numbers. May be called while other threads run.
  static Result<Python> start(const std::vector<std::string>& words,
                              std::initializer_list<int> inherited);
  Python(Python&& other) noexcept;
  Python& operator=(Python&&) = delete;
  ~Python();  // kills the process and waits for its end

  [[nodiscard]] int descriptor() const { return watch_.fd(); }  // readable: it has ended
  // "ended with status 1", "was killed by signal 9". Waits for its end.
  std::string ending();

 private:
  Python(pid_t process, FileHandle watch) : process_(process), watch_(std::move(watch)) {}
  pid_t process_ = -1;  // -1: it was waited for
  FileHandle watch_;
};

}  // namespace hone::envs::bridge
