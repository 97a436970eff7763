// The user's program that measures a model: `evaluate:` of a sweep file.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "schemas/types/value.hpp"
#include "sdk/cli/session/session.hpp"

namespace hone::cli {

// The values that the program reported, by metric.
using Measurements = std::vector<std::pair<std::string, std::vector<double>>>;

// The arguments of the program, with its names replaced. Fails with invalid if one has no value.
Result<std::vector<std::string>> evaluation_words(const std::vector<std::string>& words,
                                                  const Params& values);

// Runs the program to its end. Each line `@hone {"report": {"value": 1.5}}` on its stdout is a
// value of `metric`, each `@hone {"metric": {"name": ..., "value": ...}}` one of another; other
// lines are printed. Fails with conflict if it does not end with status 0, or reports nothing or
// too much. `sandbox` as Conversation::start.
Result<Measurements> measure(Session& session, const std::vector<std::string>& argv,
                             const std::string& metric, bool sandbox);

}  // namespace hone::cli
