// Exports a sweep as an Optuna study.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "schemas/codec/json.hpp"

namespace hone::upkeep {

// Writes a file of Optuna's RDB storage (schema version 12, which Optuna 3 and 4 read): one study
// with every trial, its parameters, distributions, reports as intermediate values, and as its value
// the one by which it ranks (docs/leaderboard.md), so that Optuna names the same winner; of a time
// until a bar, the last reports of the metric. `sweep`, `trials` and `runs` are the bodies of GET
// /v1/sweeps/{sweep}, of its trials, best first, and its curves. Refuses a file that exists.
Status write_optuna(const std::string& file, const Json& sweep, const std::vector<Json>& trials,
                    const std::vector<Json>& runs);

}  // namespace hone::upkeep
