#include "worker/train/app/settings_command.hpp"

#include <nlohmann/json.hpp>

#include "schemas/codec/body.hpp"
#include "schemas/codec/json.hpp"
#include "schemas/trainers/check.hpp"
#include "schemas/trainers/words.hpp"

namespace hone::trainers {
namespace {

constexpr std::size_t columns = 80;
constexpr std::size_t name_columns = 20;

std::string_view heading(SettingGroup group) {
  switch (group) {
    case SettingGroup::task:
      return "task";
    case SettingGroup::learning:
      return "returns and losses";
    case SettingGroup::exploration:
      return "exploration";
    case SettingGroup::replay:
      return "replay memory";
    case SettingGroup::optimizer:
      return "optimizer";
    case SettingGroup::network:
      return "network";
    case SettingGroup::actors:
      return "environments, actors and threads";
    case SettingGroup::run:
      break;
  }
  return "how it runs";
}

std::string_view keyword(SettingKind kind) {
  switch (kind) {
    case SettingKind::real:
      return "real";
    case SettingKind::whole:
      return "whole";
    case SettingKind::word:
      return "word";
    case SettingKind::text:
      break;
  }
  return "text";
}

// The text in lines that begin in column name_columns; the first one is under way there.
std::string wrapped(const std::string& text) {
  std::string lines;
  std::size_t column = name_columns;
  for (const auto word : words_of(text)) {
    if (column > name_columns && column + 1 + word.size() > columns) {
      lines += "\n" + std::string(name_columns, ' ');
      column = name_columns;
    }
    if (column > name_columns) lines += ' ', ++column;
    lines += word;
    column += word.size();
  }
  return lines;
}

std::string help_line(const SettingInfo& setting) {
  std::string name = "  " + std::string(setting.name);
  name.resize(std::max(name.size() + 1, name_columns), ' ');
  std::string text(setting.help);
  text += " [" + std::string(setting.fallback) + "]";
  if (!setting.applies.empty()) text += ", only with " + std::string(setting.applies);
  if (setting.may_change) text += ", may change on resume";
  return name + wrapped(text) + "\n";
}

std::string_view source_of(const Settings& settings, std::string_view name) {
  if (settings.given(name)) return "given";
  return settings.stated(name) ? "preset" : "default";
}

Json domain_of(const SettingInfo& setting) {
  Json document{{"type", keyword(setting.kind)}};
  if (setting.kind == SettingKind::real || setting.kind == SettingKind::whole) {
    document["min"] = setting.range.min;
    document["max"] = setting.range.max;
  }
  if (setting.kind == SettingKind::word) document["words"] = words_of(setting.words);
  return document;
}

}  // namespace

std::string settings_help(const TrainerInfo& info) {
  std::string text =
      "settings (--set name=value, or --name value with dashes), and [their defaults]:\n";
  for (int g = 0; g <= static_cast<int>(SettingGroup::run); ++g) {
    const auto group = static_cast<SettingGroup>(g);
    std::string lines;
    for (const auto& setting : info.settings)
      if (setting.group == group) lines += help_line(setting);
    if (!lines.empty()) text += "\n " + std::string(heading(group)) + "\n" + lines;
  }
  return text;
}

std::string preset_text(const Settings& settings) {
  const auto& preset = settings.preset();
  if (preset.name.empty()) return {};
  std::string text = "preset " + std::string(preset.name) + ":";
  for (const auto& [name, value] : preset.values) text += " " + name + "=" + setting_text(value);
  return text;
}

std::string settings_text(const Settings& settings) {
  std::string text;
  if (const auto preset = settings.preset().name; !preset.empty())
    text = "preset " + std::string(preset) + "\n";
  for (const auto& [name, value] : settings.all()) {
    std::string line = "  " + name;
    line.resize(std::max(line.size() + 1, name_columns), ' ');
    line += setting_text(value);
    line.resize(std::max(line.size() + 1, 2 * name_columns), ' ');
    text += line + std::string(source_of(settings, name)) + "\n";
  }
  return text;
}

std::string settings_document(const Settings& settings) {
  Json all = Json::object();
  for (const auto& setting : settings.trainer().settings) {
    const std::string name(setting.name);
    Json one = domain_of(setting);
    one["value"] = encode(*find(settings.all(), name));
    one["from"] = source_of(settings, name);
    one["may_change"] = setting.may_change;
    all[name] = std::move(one);
  }
  const auto preset = settings.preset().name;
  return to_text(Json{{"trainer", settings.trainer().name},
                      {"preset", preset.empty() ? Json(nullptr) : Json(preset)},
                      {"settings", std::move(all)}});
}

}  // namespace hone::trainers
