// The history of a worker for people: its machine as lines of blocks, its slots as lanes.
#pragma once

#include <string>

#include "schemas/codec/json.hpp"
#include "sdk/cli/commands/look/show_texts.hpp"

namespace hone::cli {

// `history`: a reply of GET /v1/workers/{worker}/history.
std::string worker_history_text(const Json& history, const Shown& shown);

}  // namespace hone::cli
