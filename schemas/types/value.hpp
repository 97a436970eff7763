// Parameter values. They keep their JSON type: an int stays an int, a choice of strings stays
// strings, and a list, an object or null stays what it is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace hone {

// A list, an object or null as JSON on one line, with the keys of objects in order, so that equal
// values have equal texts. The codec makes it (schemas/codec/part_codec.cpp).
struct JsonText {
  std::string text = "null";
  friend bool operator==(const JsonText&, const JsonText&) = default;
};

using Value = std::variant<bool, std::int64_t, double, std::string, JsonText>;

struct Param {
  std::string name;
  Value value;
  friend bool operator==(const Param&, const Param&) = default;
};

// One point of a space, in the order in which the sweep file names the parameters. A parameter
// whose `when` does not hold is absent.
using Params = std::vector<Param>;

// nullptr where the parameter is absent (inactive).
inline const Value* find(const Params& params, std::string_view name) {
  for (const auto& param : params)
    if (param.name == name) return &param.value;
  return nullptr;
}

}  // namespace hone
