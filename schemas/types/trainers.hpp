// What each built-in trainer accepts: the words of the contract between a sweep file, the
// coordinator that checks it and hone-train that reads it. Kept free of torch so that everybody can
// see it; tests/contract holds worker/train to it.
#pragma once

#include <span>
#include <string_view>

namespace hone {

enum class SettingKind { real, integer, word, text };

struct SettingInfo {
  std::string_view name;
  SettingKind kind = SettingKind::real;
  double min = 0;  // real and integer: inclusive bounds of what makes sense
  double max = 0;
  // word: the allowed ones, separated by blanks; one that ends in * stands for all that begin so.
  // text: any text.
  std::string_view words;
  std::string_view fallback;  // used where neither the sweep file nor the trial names it
  std::string_view help;
};

struct TrainerInfo {
  std::string_view name;
  std::string_view summary;
  std::string_view unit;        // what budget.unit must be
  std::string_view objectives;  // what objective.metric may be, separated by blanks
  std::span<const SettingInfo> settings;
  std::string_view budget{"1M"};  // how long a training without a server is, unless it says
};

std::span<const TrainerInfo> trainer_catalog();

// nullptr where there is none of that name.
const TrainerInfo* find_trainer(std::string_view name);
const SettingInfo* find_setting(const TrainerInfo& trainer, std::string_view name);
bool accepts_word(const SettingInfo& setting, std::string_view word);

}  // namespace hone
