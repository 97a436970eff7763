// The trainer of a run file <-> JSON.
#pragma once

#include <string>

#include "base/result.hpp"
#include "schemas/codec/json.hpp"
#include "schemas/types/trainer_spec.hpp"

namespace hone {

Json encode(const TrainerSpec& trainer);
Result<CommandTrainer> decode_command(const Json& document, const std::string& at);

}  // namespace hone
