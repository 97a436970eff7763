// A program that one exchanges lines with, over its stdin and stdout. Its stderr is ours.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "base/result.hpp"
#include "schemas/types/instant.hpp"

namespace hone::cli {

class Conversation {
 public:
  // argv[0] is looked for on PATH. The program gets SIGTERM from the kernel when we die, and no
  // secrets of ours. From here on this process ignores SIGPIPE: say() reports a program that is
  // gone. `sandbox`: in private namespaces; refuses (conflict) where the system allows none.
  static Result<std::unique_ptr<Conversation>> start(const std::vector<std::string>& argv,
                                                     bool sandbox = false);

  // Closes the program's stdin; kills the program if it does not end within a second.
  ~Conversation();
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  // Sends a line. If the program no longer reads, refuses with how the program ended.
  Status say(const std::string& line);

  // The next line, without its newline; nullopt when none was complete within the time. Refuses,
  // with how it ended, when nothing more can come.
  Result<std::optional<std::string>> hear(Duration time);

  // Whether the program has ended with status 0.
  [[nodiscard]] bool ended_well() const { return status_ == 0; }

 private:
  Conversation(pid_t pid, FileHandle to, FileHandle from)
      : pid_(pid), to_(std::move(to)), from_(std::move(from)) {}
  Error gone();
  bool reaped_within(Duration time);

  pid_t pid_;
  FileHandle to_;
  FileHandle from_;
  std::string heard_;  // not yet a whole line
  std::optional<int> status_;
};

}  // namespace hone::cli
