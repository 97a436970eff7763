// Other programs: where they are, what they say, and becoming one of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace hone::cli {

// Returns the program of that name in this program's folder, else on PATH. Refuses with not_found
// and what to do.
Result<std::string> find_program(const std::string& name);

// Returns the stdout of a program; nullopt if it cannot be started or did not exit with
// 0. Its stderr is lost.
std::optional<std::string> output_of(const std::vector<std::string>& argv);

// Replaces this process. Returns only when that fails.
Error become(const std::string& program, const std::vector<std::string>& arguments);

}  // namespace hone::cli
