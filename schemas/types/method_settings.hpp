// The settings of search methods and of rules as data, for schemas and help. A test
// compares them with what hone accepts of each method and rule (tests/e2e/test_schema.py).
#pragma once

#include <span>
#include <string_view>

namespace hone {

enum class MethodSettingKind { whole, real, truth, word };

struct MethodSetting {
  std::string_view name;
  MethodSettingKind kind = MethodSettingKind::real;
  double low = 0;  // of a number, inclusive
  double high = 0;
  std::string_view words{};     // of a word, separated by blanks
  std::string_view fallback{};  // empty: none, or one that depends on the sweep
  std::string_view help{};
  bool required = false;
  bool open_low = false;  // low and high are excluded
  bool open_high = false;
};

struct SettingsOf {
  std::string_view name;  // of the method or rule
  std::span<const MethodSetting> settings;
};

// A row for each method and each rule, with settings or without.
std::span<const SettingsOf> settings_of_methods();
std::span<const SettingsOf> settings_of_rules();

}  // namespace hone
