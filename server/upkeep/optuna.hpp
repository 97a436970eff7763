// A sweep as a study of Optuna's.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "schemas/codec/json.hpp"

namespace hone::upkeep {

// Writes a file of Optuna's RDB storage (schema version 12, as Optuna 3 and 4 read it): one study,
// a trial for each trial with its parameters, distributions, reports as intermediate values and the
// best of them as its value. `sweep` and `runs` as the API says them (GET /v1/sweeps/{sweep} and
// its curves). Refuses a file that exists already.
Status write_optuna(const std::string& file, const Json& sweep, const std::vector<Json>& runs);

}  // namespace hone::upkeep
