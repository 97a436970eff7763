// What a user should know, before the first run, about how parameters reach the program.
#pragma once

#include <string>
#include <vector>

#include "schemas/types/spec.hpp"

namespace hone::cli {

// The parameters that the program of a sweep only gets if it reads a file of hone; none if a
// program on this machine, named by a word of its command, does.
std::vector<std::string> unread_parameters(const SweepSpec& spec);

// Sentences about parameters that do not reach the program, or in a form that it does not read, as
// far as its text, if it is on this machine, shows.
std::vector<std::string> passing_remarks(const SweepSpec& spec);

}  // namespace hone::cli
