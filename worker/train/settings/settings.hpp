// The settings of a trainer: what the sweep file fixes, the trial's parameters on top, and defaults
// for the rest, all checked against the trainer's row in schemas/types/trainers.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "schemas/types/trainers.hpp"
#include "schemas/types/value.hpp"

namespace hone::trainers {

class Settings {
 public:
  // Refuses unknown names, wrong kinds and values out of bounds.
  static Result<Settings> resolve(const TrainerInfo& trainer, const Params& fixed,
                                  const Params& params);

  // Preconditions: the trainer has a setting of that name and kind.
  [[nodiscard]] double real(std::string_view name) const;
  [[nodiscard]] std::int64_t integer(std::string_view name) const;
  [[nodiscard]] int small_integer(std::string_view name) const {
    return static_cast<int>(integer(name));
  }
  [[nodiscard]] const std::string& word(std::string_view name) const;
  // Somebody chose the value: it is not the default.
  [[nodiscard]] bool given(std::string_view name) const { return find(given_, name) != nullptr; }
  // Another default, as text; a value that somebody chose stays, and so does every setting of a
  // trainer that has none of that name. Precondition: the text is one that the setting allows.
  void suggest(std::string_view name, std::string_view text);
  // Somebody chose the value, or it was suggested: it is not the trainer's default.
  [[nodiscard]] bool stated(std::string_view name) const {
    return given(name) || find(suggested_, name) != nullptr;
  }
  // All of them with their values, in the trainer's order.
  [[nodiscard]] const Params& all() const { return values_; }

 private:
  const TrainerInfo* trainer_ = nullptr;
  Params values_;
  Params given_;
  Params suggested_;
};

// "0.001" -> 0.001, "12" -> 12, for a setting of this kind.
Result<Value> parse_setting(const SettingInfo& setting, std::string_view text);
std::vector<std::string_view> setting_names(const TrainerInfo& trainer);
std::vector<std::string_view> words_of(const SettingInfo& setting);

}  // namespace hone::trainers
