// Describes the slots of a sweep file for people.
#pragma once

#include <string>

#include "schemas/codec/json.hpp"

namespace hone::cli {

std::string labels_text(const Json& labels);  // "zone=a, fast"
// "1 to 4 slots (more than 1 while no run waits)"; empty where resources.cpus is a number.
std::string cpus_text(const Json& resources);
// "2 slots, 1 GPU, 4 GiB, on gpu=a100 for each run"; empty for one slot.
std::string run_resources_text(const Json& run);
// "share of 3, at least 2, at most 8"; empty for a sweep without its own settings.
std::string share_text(const Json& spec);
std::string deadline_text(const Json& by);

}  // namespace hone::cli
