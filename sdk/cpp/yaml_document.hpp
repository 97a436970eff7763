// A YAML text as JSON, with the line of every field. YAML 1.2 core schema: 1e-4 is a number, yes
// and no are texts, what is quoted stays a text.
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

struct YamlDocument {
  Json json;
  std::map<std::string, Position>
      positions;  // by JSON pointer: a member's key, an item's first character
};

// "sweep.yaml:12:5"
std::string place_in(const std::string& origin, Position position);

// Exactly one document. Refuses with "origin:line:column: why": syntax errors, repeated keys, keys
// that are no texts, tags, numbers that do not fit, control characters, invalid UTF-8, nesting
// deeper than 64, and aliases that expand to more than 100,000 values.
Result<YamlDocument> parse_yaml(const std::string& text, const std::string& origin);

}  // namespace hone
