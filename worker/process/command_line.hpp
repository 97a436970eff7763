// What is executed for a run.
#pragma once

#include <string>
#include <vector>

#include "schemas/types/result.hpp"
#include "schemas/types/wire.hpp"

namespace hone::worker {

// hone-train NAME for a built-in trainer, with the program beside our own (`program_folder`); for a
// command its words with each "${name}" replaced by the parameter's value. Refuses with invalid
// where a name is no parameter of this trial, and says which there are; "$${" stands for "${".
Result<std::vector<std::string>> command_line(const LeaseGrant& grant,
                                              const std::string& program_folder);

// A value as a program reads it: 0.001, 8, true, relu.
std::string value_text(const Value& value);

}  // namespace hone::worker
