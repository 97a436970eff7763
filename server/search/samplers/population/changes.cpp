#include "server/search/samplers/population/changes.hpp"

#include <algorithm>
#include <cmath>

namespace hone {

std::optional<std::string> change_beyond(const Params& before, const Params& after,
                                         std::span<const std::string> changeable) {
  const auto may_change = [&](const std::string& name) {
    return std::ranges::find(changeable, name) != changeable.end();
  };
  for (const Param& param : after) {
    const Value* value = find(before, param.name);
    if ((value == nullptr || *value != param.value) && !may_change(param.name)) return param.name;
  }
  for (const Param& param : before)
    if (find(after, param.name) == nullptr && !may_change(param.name)) return param.name;
  return std::nullopt;
}

void keep_unchanged(const Params& before, Params& params) {
  constexpr double rounding = 1e-9;
  for (Param& param : params) {
    const Value* value = find(before, param.name);
    const auto* from = value == nullptr ? nullptr : std::get_if<double>(value);
    const auto* to = std::get_if<double>(&param.value);
    if (from == nullptr || to == nullptr) continue;
    if (std::abs(*from - *to) <= rounding * std::abs(*from)) param.value = *value;
  }
}

}  // namespace hone
