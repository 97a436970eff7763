// How the parameters of a sweep reach its program: by words, variables or a file.
#pragma once

#include <string>
#include <vector>

#include "schemas/types/spec.hpp"

namespace hone {

// The parameters that no word and no variable of a command carries, so that its program must read
// HONE_PARAMS_FILE, HONE_RUN_FILE or HONE_SOCKET. Parameters from which another one is computed are
// not counted. Empty for sweeps of trainers and of clients that ask.
std::vector<std::string> unpassed_parameters(const SweepSpec& spec);
// The same of one command, for the parameters of these names.
std::vector<std::string> unpassed_parameters(const CommandTrainer& command,
                                             const std::vector<std::string>& names);

// "not passed by any word: clip, lr".
std::string not_passed(const std::vector<std::string>& names);

// Two parameters that `params: env` passes as one variable, so that the program gets one of them.
struct SharedVariable {
  std::string first, second;
  std::string variable;
};
std::vector<SharedVariable> shared_variables(const CommandTrainer& command, const Space& space);

// Every word of a command that may name a parameter: those of run, prepare and env.
std::vector<std::string> naming_words(const CommandTrainer& command);

}  // namespace hone
