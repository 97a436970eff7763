#include "worker/train/settings/settings.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <optional>
#include <sstream>

#include "base/nearest.hpp"
#include "schemas/values/number.hpp"

namespace hone::trainers {
namespace {

std::string short_text(double number) {
  std::ostringstream text;
  text << number;
  return text.str();
}

Error wrong(const SettingInfo& setting, const std::string& what) {
  return refuse(Code::invalid, std::string(setting.name) + " " + what,
                "/" + std::string(setting.name));
}

Error out_of_kind(const SettingInfo& setting) {
  switch (setting.kind) {
    case SettingKind::real:
      return wrong(setting, "must be a number");
    case SettingKind::integer:
      return wrong(setting, "must be a whole number");
    case SettingKind::word:
      return wrong(setting, "must be one of: " + std::string(setting.words));
    case SettingKind::text:
      return wrong(setting, "must be a text");
  }
  return wrong(setting, "is of an unknown kind");
}

std::optional<double> number_of(const Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return std::nullopt;
}

Result<Value> check_number(const SettingInfo& setting, double number) {
  if (!(number >= setting.min && number <= setting.max))
    return wrong(setting, "must be between " + short_text(setting.min) + " and " +
                              short_text(setting.max) + ", not " + short_text(number));
  if (setting.kind == SettingKind::real) return Value{number};
  if (number != std::floor(number)) return out_of_kind(setting);
  return Value{static_cast<std::int64_t>(number)};
}

Result<Value> check(const SettingInfo& setting, const Value& value) {
  if (setting.kind == SettingKind::text)
    return std::holds_alternative<std::string>(value) ? Result<Value>(value)
                                                      : Result<Value>(out_of_kind(setting));
  if (setting.kind != SettingKind::word) {
    const auto number = number_of(value);
    return number ? check_number(setting, *number) : Result<Value>(out_of_kind(setting));
  }
  const auto* word = std::get_if<std::string>(&value);
  if (word == nullptr) return out_of_kind(setting);
  if (accepts_word(setting, *word)) return value;
  const auto words = words_of(setting);
  return wrong(setting, "cannot be '" + *word + "'" + did_you_mean(*word, words) +
                            "; it must be one of: " + std::string(setting.words));
}

void put(Params& params, std::string_view name, const Value& value) {
  for (auto& param : params)
    if (param.name == name) {
      param.value = value;
      return;
    }
  params.push_back({std::string(name), value});
}

}  // namespace

Result<Settings> Settings::resolve(const TrainerInfo& trainer, const Params& fixed,
                                   const Params& params) {
  Settings settings;
  settings.trainer_ = &trainer;
  for (const auto* part : {&fixed, &params})
    for (const auto& [name, value] : *part) {
      const auto* setting = find_setting(trainer, name);
      if (setting == nullptr)
        return refuse(Code::invalid,
                      std::string(trainer.name) + " has no setting '" + name + "'" +
                          did_you_mean(name, setting_names(trainer)),
                      "/" + name);
      auto checked = check(*setting, value);
      if (!checked) return std::move(checked).error();
      put(settings.given_, name, *checked);
    }
  for (const auto& setting : trainer.settings) {
    const auto* chosen = find(settings.given_, setting.name);
    auto value =
        chosen != nullptr ? Result<Value>(*chosen) : parse_setting(setting, setting.fallback);
    if (!value) return std::move(value).error();
    settings.values_.push_back({std::string(setting.name), *value});
  }
  return settings;
}

void Settings::suggest(std::string_view name, std::string_view text) {
  const auto* setting = trainer_ == nullptr ? nullptr : find_setting(*trainer_, name);
  if (setting == nullptr || given(name)) return;
  const auto value = parse_setting(*setting, text);
  assert(value.ok());
  if (!value) return;
  put(values_, name, *value);
  put(suggested_, name, *value);
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

Result<Value> parse_setting(const SettingInfo& setting, std::string_view text) {
  if (setting.kind == SettingKind::word || setting.kind == SettingKind::text)
    return check(setting, Value{std::string(text)});
  const auto number = read_number(text);
  if (!number) return out_of_kind(setting);
  return check_number(setting, *number);
}

std::vector<std::string_view> setting_names(const TrainerInfo& trainer) {
  std::vector<std::string_view> names;
  for (const auto& setting : trainer.settings) names.push_back(setting.name);
  return names;
}

std::vector<std::string_view> words_of(const SettingInfo& setting) {
  std::vector<std::string_view> words;
  auto rest = setting.words;
  while (!rest.empty()) {
    const auto blank = std::min(rest.find(' '), rest.size());
    if (blank > 0) words.push_back(rest.substr(0, blank));
    rest.remove_prefix(std::min(blank + 1, rest.size()));
  }
  return words;
}

}  // namespace hone::trainers
