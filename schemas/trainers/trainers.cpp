#include "schemas/trainers/trainers.hpp"

#include <array>

namespace hone {

#define HONE_DECLARE(name) TrainerInfo name##_info();
HONE_TRAINERS(HONE_DECLARE)
#undef HONE_DECLARE

namespace {

TrainerInfo named_info(std::string_view name, TrainerInfo info) {
  info.name = name;
  return info;
}

}  // namespace

std::span<const TrainerInfo> trainer_catalog() {
#define HONE_ROW(name) named_info(#name, name##_info()),
  static const std::array catalog{HONE_TRAINERS(HONE_ROW)};
#undef HONE_ROW
  return catalog;
}

const TrainerInfo* find_trainer(std::string_view name) {
  for (const auto& trainer : trainer_catalog())
    if (trainer.name == name) return &trainer;
  return nullptr;
}

const SettingInfo* find_setting(const TrainerInfo& trainer, std::string_view name) {
  for (const auto& setting : trainer.settings)
    if (setting.name == name) return &setting;
  return nullptr;
}

std::string fixed_text(const Params& fixed, std::string_view setting) {
  const Value* value = find(fixed, setting);
  const auto* text = value == nullptr ? nullptr : std::get_if<std::string>(value);
  return text == nullptr ? std::string() : *text;
}

DatasetInfo dataset_of_env(const Params& fixed, const Space&) {
  return {fixed_text(fixed, "env"), builtin_dataset_version, ""};
}

}  // namespace hone
