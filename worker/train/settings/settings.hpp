// The settings of a run: those that the sweep file fixes, the parameters of the trial, and defaults
// for the rest, all checked against what the trainer accepts (trainers.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "schemas/types/value.hpp"
#include "worker/train/settings/trainers.hpp"

namespace hone::trainers {

class Settings {
 public:
  // Refuses an unknown name, a wrong kind and a value out of bounds, with a sentence.
  static Result<Settings> resolve(const TrainerInfo& trainer, const Params& fixed,
                                  const Params& params);

  // Precondition: the trainer has a setting of that name and kind.
  [[nodiscard]] double real(std::string_view name) const;
  [[nodiscard]] std::int64_t integer(std::string_view name) const;
  [[nodiscard]] int small_integer(std::string_view name) const {
    return static_cast<int>(integer(name));
  }
  [[nodiscard]] const std::string& word(std::string_view name) const;
  // Whether the sweep file, the trial or the user gave the value.
  [[nodiscard]] bool given(std::string_view name) const { return find(given_, name) != nullptr; }
  // Replaces the default of a setting. Has no effect on a value that was given, and if the trainer
  // has no setting of that name. Precondition: the setting allows the text.
  void suggest(std::string_view name, std::string_view text);
  // Whether the value was given or suggested.
  [[nodiscard]] bool stated(std::string_view name) const {
    return given(name) || find(suggested_, name) != nullptr;
  }
  // All settings with their values, in the order of the trainer.
  [[nodiscard]] const Params& all() const { return values_; }

 private:
  const TrainerInfo* trainer_ = nullptr;
  Params values_;
  Params given_;
  Params suggested_;
};

// Parses "0.001" or "12" as a value of the setting; refuses what the setting does not allow.
Result<Value> parse_setting(const SettingInfo& setting, std::string_view text);
std::vector<std::string_view> setting_names(const TrainerInfo& trainer);
std::vector<std::string_view> words_of(const SettingInfo& setting);

}  // namespace hone::trainers
