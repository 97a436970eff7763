// What one setting of a trainer is, and tables of them from other tables, at compile time. A
// setting is one statement: name, group, domain, default, help, and what else holds of it.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace hone {

enum class SettingKind { real, whole, word, text };

// The headings of `hone-train TRAINER --help`, in their order there.
enum class SettingGroup { task, learning, exploration, replay, optimizer, network, actors, run };

struct SettingRange {  // inclusive
  double min = 0;
  double max = 0;
};

struct SettingInfo {
  std::string_view name;
  SettingKind kind = SettingKind::real;
  SettingGroup group = SettingGroup::task;
  SettingRange range{};  // of a real or whole number
  // word: the allowed words, separated by blanks; a word that ends in * allows all longer words
  // with that beginning. Empty for the other kinds.
  std::string_view words;
  std::string_view fallback;  // used if neither the sweep file nor the trial gives a value
  std::string_view help;
  // The only values of another setting with which it has an effect, "optimizer=adam"; empty: always
  std::string_view applies{};
  bool may_change = false;  // a run may resume a checkpoint that was made with another value

  [[nodiscard]] constexpr SettingInfo changeable() const {
    auto other = *this;
    other.may_change = true;
    return other;
  }
  [[nodiscard]] constexpr SettingInfo only_with(std::string_view condition) const {
    auto other = *this;
    other.applies = condition;
    return other;
  }
  [[nodiscard]] constexpr SettingInfo by_default(std::string_view value) const {
    auto other = *this;
    other.fallback = value;
    return other;
  }
  [[nodiscard]] constexpr SettingInfo within(SettingRange bounds) const {
    auto other = *this;
    other.range = bounds;
    return other;
  }
  [[nodiscard]] constexpr SettingInfo one_of(std::string_view allowed) const {
    auto other = *this;
    other.words = allowed;
    return other;
  }
  [[nodiscard]] constexpr SettingInfo described(std::string_view text) const {
    auto other = *this;
    other.help = text;
    return other;
  }
};

namespace setting_rows {

using Group = SettingGroup;

constexpr SettingInfo real(std::string_view name, Group group, SettingRange range,
                           std::string_view fallback, std::string_view help) {
  return {name, SettingKind::real, group, range, {}, fallback, help};
}

constexpr SettingInfo whole(std::string_view name, Group group, SettingRange range,
                            std::string_view fallback, std::string_view help) {
  return {name, SettingKind::whole, group, range, {}, fallback, help};
}

constexpr SettingInfo word(std::string_view name, Group group, std::string_view words,
                           std::string_view fallback, std::string_view help) {
  return {name, SettingKind::word, group, {}, words, fallback, help};
}

constexpr SettingInfo text(std::string_view name, Group group, std::string_view fallback,
                           std::string_view help) {
  return {name, SettingKind::text, group, {}, {}, fallback, help};
}

template <std::size_t N, std::size_t M>
constexpr std::array<SettingInfo, N + M> joined(const std::array<SettingInfo, N>& first,
                                                const std::array<SettingInfo, M>& second) {
  std::array<SettingInfo, N + M> all{};
  for (std::size_t i = 0; i < N; ++i) all[i] = first[i];
  for (std::size_t i = 0; i < M; ++i) all[N + i] = second[i];
  return all;
}

// Returns the setting of that name. Does not compile if there is none.
template <std::size_t N>
consteval SettingInfo of(const std::array<SettingInfo, N>& settings, std::string_view name) {
  for (const SettingInfo& one : settings)
    if (one.name == name) return one;
  throw "no setting has that name";
}

// The settings with another row for each of `rows`.
template <std::size_t N, std::size_t M>
consteval std::array<SettingInfo, N> changed(std::array<SettingInfo, N> settings,
                                             const std::array<SettingInfo, M>& rows) {
  for (const SettingInfo& row : rows) {
    (void)of(settings, row.name);
    for (SettingInfo& one : settings)
      if (one.name == row.name) one = row;
  }
  return settings;
}

template <std::size_t N>
consteval std::array<SettingInfo, N - 1> without(const std::array<SettingInfo, N>& settings,
                                                 std::string_view name) {
  (void)of(settings, name);
  std::array<SettingInfo, N - 1> rest{};
  std::size_t count = 0;
  for (const SettingInfo& one : settings)
    if (one.name != name) rest[count++] = one;
  return rest;
}

}  // namespace setting_rows
}  // namespace hone
