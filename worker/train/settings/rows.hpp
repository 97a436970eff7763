// Tables of settings from other tables, at compile time.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "worker/train/settings/trainers.hpp"

namespace hone {

template <std::size_t N, std::size_t M>
constexpr std::array<SettingInfo, N + M> joined(const std::array<SettingInfo, N>& first,
                                                const std::array<SettingInfo, M>& second) {
  std::array<SettingInfo, N + M> all{};
  for (std::size_t i = 0; i < N; ++i) all[i] = first[i];
  for (std::size_t i = 0; i < M; ++i) all[N + i] = second[i];
  return all;
}

// The settings with another fallback for one of them.
template <std::size_t N>
constexpr std::array<SettingInfo, N> with(std::array<SettingInfo, N> settings,
                                          std::string_view name, std::string_view fallback) {
  for (auto& setting : settings)
    if (setting.name == name) setting.fallback = fallback;
  return settings;
}

// The settings with another row for each of `rows`, and without `left_out`.
template <std::size_t N, std::size_t M>
constexpr std::array<SettingInfo, N - 1> changed(const std::array<SettingInfo, N>& settings,
                                                 const std::array<SettingInfo, M>& rows,
                                                 std::string_view left_out) {
  std::array<SettingInfo, N - 1> all{};
  std::size_t count = 0;
  for (const auto& setting : settings) {
    if (setting.name == left_out) continue;
    all[count] = setting;
    for (const auto& row : rows)
      if (row.name == setting.name) all[count] = row;
    ++count;
  }
  return all;
}

}  // namespace hone
