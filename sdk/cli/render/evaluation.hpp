// Renders an evaluation: returns of a model that were measured after its training.
#pragma once

#include <string>

#include "schemas/codec/json.hpp"

namespace hone::cli {

// "ev_3  md_9 on CartPole-v1: return 487.2 +- 1.8, least 402, median 500, most 500 over 100
// episodes (seed 1)", of a reply of GET /v1/evaluations/{ev}. After +- is the standard error of the
// mean; a single episode has none.
std::string evaluation_line(const Json& evaluation);

}  // namespace hone::cli
