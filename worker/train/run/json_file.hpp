// Checkpoints that are one JSON document.
#pragma once

#include <filesystem>
#include <optional>

#include "schemas/codec/json.hpp"

namespace hone::trainers {

// Returns nullopt for a file that is missing, larger than 1 GiB or not JSON, and for one whose
// values would take more than 16 times its bytes of memory.
std::optional<Json> read_json_file(const std::filesystem::path& path);

}  // namespace hone::trainers
