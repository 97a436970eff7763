#include "schemas/trainers/settings.hpp"

#include <cassert>

#include "schemas/trainers/check.hpp"
#include "schemas/trainers/presets.hpp"
#include "schemas/trainers/words.hpp"

namespace hone::trainers {
namespace {

void put(Params& params, std::string_view name, const Value& value) {
  for (auto& param : params)
    if (param.name == name) {
      param.value = value;
      return;
    }
  params.push_back({std::string(name), value});
}

// Precondition: the value is one of ours, of the table of settings or of presets.
Value own_value(const SettingInfo& setting, std::string_view text) {
  auto value = parse_setting(setting, text);
  assert(value.ok());
  return std::move(value).value();
}

}  // namespace

Result<Settings> Settings::resolve(const TrainerInfo& trainer, const Params& fixed,
                                   const Params& params) {
  Settings settings;
  settings.trainer_ = &trainer;
  for (const auto* part : {&fixed, &params})
    for (const auto& [name, value] : *part) {
      const auto setting = setting_of(trainer, name);
      auto checked = setting ? check(**setting, value) : Result<Value>(setting.error());
      if (!checked) {
        auto error = std::move(checked).error();
        error.at = "/" + name;
        return error;
      }
      put(settings.given_, name, *checked);
    }
  for (const auto& setting : trainer.settings) {
    const auto* given = find(settings.given_, setting.name);
    settings.values_.push_back(
        {std::string(setting.name), given ? *given : own_value(setting, setting.fallback)});
  }
  settings.apply_preset();
  return settings;
}

void Settings::apply_preset() {
  const auto text_of = [&](std::string_view name, std::string_view otherwise) {
    const auto* value = find(values_, name);
    return value ? std::string_view(std::get<std::string>(*value)) : otherwise;
  };
  const auto* generation = find(values_, "presets");
  if (generation == nullptr) return;
  const auto* preset = find_preset(
      {trainer_->name, text_of("env", ""), text_of("mode", "corrected"), small_integer("presets")});
  if (preset == nullptr) return;
  preset_.name = preset->name;
  for (const auto word : words_of(preset->settings)) {
    const auto equals = word.find('=');
    const auto* setting = find_setting(*trainer_, word.substr(0, equals));
    if (setting == nullptr || given(setting->name)) continue;
    const auto value = own_value(*setting, word.substr(equals + 1));
    put(values_, setting->name, value);
    preset_.values.push_back({std::string(setting->name), value});
  }
}

double Settings::real(std::string_view name) const {
  const auto* value = find(values_, name);
  assert(value != nullptr);
  return std::get<double>(*value);
}

std::int64_t Settings::integer(std::string_view name) const {
  const auto* value = find(values_, name);
  assert(value != nullptr);
  return std::get<std::int64_t>(*value);
}

const std::string& Settings::word(std::string_view name) const {
  const auto* value = find(values_, name);
  assert(value != nullptr);
  return std::get<std::string>(*value);
}

}  // namespace hone::trainers
