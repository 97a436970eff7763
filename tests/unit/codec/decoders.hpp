// The decoder of each schema of schemas/v1, and the rows of schemas/cases.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "schemas/codec/json.hpp"

namespace hone {

// nullopt: read without fault.
using Decoder = std::optional<Error> (*)(const Json&);

const std::map<std::string, Decoder>& decoders();

std::filesystem::path schemas_folder();

Json json_of(const std::filesystem::path& file);

}  // namespace hone
