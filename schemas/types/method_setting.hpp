// A setting of a search method or of a rule as data, for schemas and help. A test compares the
// settings of each row with what hone accepts of it (tests/e2e/test_schema.py).
#pragma once

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

// The same for the methods and the rules that train in rungs.
inline constexpr MethodSetting eta_setting{
    "eta", MethodSettingKind::whole, 2, 1000, {}, "3", "of each rung the best 1/eta continue"};

}  // namespace hone
