// Describes the objectives of a sweep for people.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "schemas/codec/json.hpp"

namespace hone::cli {

// "maximize return, minimize cost"; of a time until a bar "soonest return >= 475, in seconds".
std::string objectives_text(const Json& spec);
// Names the value of a trial with that many seeds: "last report", "mean of the last reports of 3
// seeds", "time until return >= 475, in seconds". Without a number: of trials of several seeds.
std::string value_meaning(const Json& spec, std::optional<std::int64_t> seeds);

}  // namespace hone::cli
