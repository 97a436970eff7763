// Runs a program of an engine (sbatch, ssh, ...) to its end, with bounds on time and output.
#pragma once

#include <string>
#include <vector>

#include "schemas/types/instant.hpp"

namespace hone::engines {

struct ProgramEnd {
  enum class Kind { exited, timed_out, not_started };
  Kind kind = Kind::exited;
  int status = 0;   // exited: its status, or 128 + the signal
  std::string out;  // at most output_bytes_max
  std::string err;  // of not_started: the reason

  [[nodiscard]] bool succeeded() const { return kind == Kind::exited && status == 0; }
};

inline constexpr std::size_t output_bytes_max = 4 * 1024 * 1024;  // 1,000 pilots take 200 kB
inline constexpr Duration program_time = seconds(30);  // slurmctld that is down takes 9 s

// Blocks until the program ends or `time` is over; then the program and its group get SIGKILL.
// Precondition: the process ignores SIGPIPE, since a program may end before it has read its input.
ProgramEnd run_program(const std::vector<std::string>& argv, const std::string& input,
                       Duration time = program_time);

// What the program printed about its failure, as one line: "sbatch: error: invalid partition".
std::string failure_text(const ProgramEnd& end);

}  // namespace hone::engines
