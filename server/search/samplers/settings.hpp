// Reads the settings of a search method from a sweep file.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "schemas/types/search_spec.hpp"
#include "server/search/samplers/sampler.hpp"

namespace hone {

// Refuses a setting that is not among `known`.
Status only_settings(const SearchSpec& search, std::span<const std::string_view> known);

// Return the setting of that name, or `otherwise` if the sweep file does not set it. Refuse values
// of another type or outside [low, high].
struct Bounds {
  double low = 0;
  double high = 1;
};
Result<double> number_setting(const SearchSpec& search, std::string_view name, double otherwise,
                              Bounds bounds);
Result<std::int64_t> count_setting(const SearchSpec& search, std::string_view name,
                                   std::int64_t otherwise, Bounds bounds);
// Whether the sweep file has `cost: seconds`. Refuses any other cost.
Result<bool> cost_setting(const SearchSpec& search);
Result<bool> flag_setting(const SearchSpec& search, std::string_view name, bool otherwise);

}  // namespace hone
