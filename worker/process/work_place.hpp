// Where, and with which interpreter, a command runs on this machine.
#pragma once

#include <string>
#include <vector>

#include "schemas/types/ids.hpp"
#include "schemas/types/trainer_spec.hpp"

namespace hone::worker {

struct WorkPlace {
  std::string folder;
  std::string python{};   // the interpreter of `python` and `python3`; empty: that of the PATH
  std::string missing{};  // what the command needs and this machine lacks; then it must not run
  std::string remark{};   // that it runs elsewhere than at its user; for the log of the run
};

// `own`: the worker's working folder. `code`: of its unpacked snapshot; empty without one.
WorkPlace work_place(const TrainerSpec& trainer, const std::string& own, const std::string& code);

// "the folder /a (command.cwd) is not on gpu3 (wk_2)": what is missing, for the end of an attempt.
std::string why_not_here(const WorkPlace& place, const std::string& host, WorkerId worker);

// The words of a command, whose first one is the file of the place's interpreter if it is its name.
std::vector<std::string> words_at(const WorkPlace& place, std::vector<std::string> words);

// The variables that the activation of the interpreter's environment sets; none for an interpreter
// of the system, which is on the PATH anyway.
std::vector<EnvVar> activation(const std::string& python);

}  // namespace hone::worker
