// The makers that samplers/table.cpp lists, and what several methods need.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "server/search/samplers/sampler.hpp"

namespace hone {

Result<std::unique_ptr<Sampler>> make_random(const SearchSpec& search, const SearchSpace& space);
Result<std::unique_ptr<Sampler>> make_tpe(const SearchSpec& search, const SearchSpace& space);
Result<std::unique_ptr<Sampler>> make_grid(const SearchSpec& search, const SearchSpace& space);
Result<std::unique_ptr<Sampler>> make_sobol(const SearchSpec& search, const SearchSpace& space);
Result<std::unique_ptr<Sampler>> make_cmaes(const SearchSpec& search, const SearchSpace& space);
Result<std::unique_ptr<Sampler>> make_external(const SearchSpec& search, const SearchSpace& space);
Result<std::unique_ptr<Sampler>> make_hone_sampler(const SearchSpec& search,
                                                   const SearchSpace& space);

// Refuses a setting that is not among `known`.
Status only_settings(const SearchSpec& search, std::span<const std::string_view> known);

// The setting of that name, or what it is when the sweep file leaves it out. Refuses values of
// another kind or outside [low, high].
struct Bounds {
  double low = 0;
  double high = 1;
};
Result<double> number_setting(const SearchSpec& search, std::string_view name, double otherwise,
                              Bounds bounds);
Result<std::int64_t> count_setting(const SearchSpec& search, std::string_view name,
                                   std::int64_t otherwise, Bounds bounds);
Result<bool> flag_setting(const SearchSpec& search, std::string_view name, bool otherwise);

}  // namespace hone
