// Parameter values. They keep their JSON type: an int stays an int, a choice of strings stays
// strings.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace hone {

using Value = std::variant<bool, std::int64_t, double, std::string>;

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
