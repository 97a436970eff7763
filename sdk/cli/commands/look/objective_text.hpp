// What a sweep is judged by, for people.
#pragma once

#include <string>

#include "schemas/codec/json.hpp"

namespace hone::cli {

// "maximize return, minimize cost"; of a time until a bar "soonest return >= 475, in seconds".
std::string objectives_text(const Json& spec);

}  // namespace hone::cli
