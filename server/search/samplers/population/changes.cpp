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
  for (Param& param : params) keep_unchanged(find(before, param.name), param.value);
}

void keep_unchanged(const Value* before, Value& value) {
  constexpr double rounding = 1e-9;
  const auto* from = before == nullptr ? nullptr : std::get_if<double>(before);
  const auto* to = std::get_if<double>(&value);
  if (from == nullptr || to == nullptr) return;
  if (std::abs(*from - *to) <= rounding * std::abs(*from)) value = *before;
}

}  // namespace hone
