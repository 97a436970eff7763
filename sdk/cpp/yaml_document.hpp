// Parses YAML into JSON with the line of every field. YAML 1.2 core schema: 1e-4 is a number; yes,
// no and quoted scalars are strings.
#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "base/result.hpp"
#include "schemas/codec/json.hpp"

namespace hone {

struct Position {  // both count from 1
  std::size_t line = 1;
  std::size_t column = 1;
};

inline constexpr std::size_t yaml_bytes_max = std::size_t{1} << 20U;

struct YamlDocument {
  Json json;
  // By JSON pointer: the key of a member, the first character of an item.
  std::map<std::string, Position> positions;
};

// "sweep.yaml:12:5"
std::string place_in(const std::string& origin, Position position);

// Parses exactly one document. Rejects, as "origin:line:column: reason", syntax errors, repeated
// keys, keys that are not strings, tags but !!str, !!int, !!float, !!bool and !!null, numbers that
// do not fit, control characters, invalid UTF-8, nesting deeper than 64, and aliases that expand
// to more than 100,000 values. Rejects (too_large) a text beyond yaml_bytes_max.
Result<YamlDocument> parse_yaml(const std::string& text, const std::string& origin);

}  // namespace hone
