#include "schemas/trainers/check.hpp"

#include <charconv>
#include <cmath>
#include <optional>
#include <sstream>

#include "base/nearest.hpp"
#include "schemas/trainers/environments.hpp"
#include "schemas/trainers/words.hpp"
#include "schemas/values/literal.hpp"

namespace hone::trainers {
namespace {

std::string short_text(double number) {
  std::ostringstream text;
  text << number;
  return text.str();
}

std::optional<double> number_of(const Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return std::nullopt;
}

Error refuse_setting(const SettingInfo& setting, const std::string& what) {
  return refuse(Code::invalid, std::string(setting.name) + " must be " + what);
}

Result<Value> check_number(const SettingInfo& setting, const Value& value) {
  const bool whole = setting.kind == SettingKind::whole;
  const auto number = number_of(value);
  const auto& [min, max] = setting.range;
  const bool inside = number && *number >= min && *number <= max;  // NaN is not
  if (inside && !whole) return Value{*number};
  if (inside && *number == std::floor(*number)) return Value{static_cast<std::int64_t>(*number)};
  const bool is_text = std::holds_alternative<std::string>(value);
  return refuse_setting(
      setting, (whole ? "a whole number from " : "a number from ") + short_text(min) + " to " +
                   short_text(max) + ", not " +
                   (is_text ? "the text '" + setting_text(value) + "'" : setting_text(value)));
}

bool accepts_word(const SettingInfo& setting, std::string_view word) {
  for (const auto known : words_of(setting.words)) {
    if (known == word) return true;
    const auto beginning = known.substr(0, known.size() - 1);
    if (known.ends_with('*') && word.size() > beginning.size() && word.starts_with(beginning))
      return true;
  }
  return false;
}

Result<Value> check_word(const SettingInfo& setting, const Value& value) {
  // The word `true` is a truth value in a sweep file.
  const auto given = setting_text(value);
  if (!std::holds_alternative<JsonText>(value) && accepts_word(setting, given)) return Value{given};
  const auto known = words_of(setting.words);
  std::string allowed;
  for (const auto one : known) allowed += (allowed.empty() ? "" : ", ") + std::string(one);
  return refuse_setting(setting,
                        "one of " + allowed + ", not '" + given + "'" + did_you_mean(given, known));
}

Status at(const SettingInfo& setting, const Value& value, const std::string& place) {
  auto checked = check(setting, value);
  if (checked) return Done{};
  auto error = std::move(checked).error();
  error.at = place;
  return error;
}

}  // namespace

std::string setting_text(const Value& value) {
  struct Visitor {
    std::string operator()(bool truth) const { return truth ? "true" : "false"; }
    std::string operator()(std::int64_t whole) const { return std::to_string(whole); }
    std::string operator()(double number) const {
      char digits[32];
      return {digits, std::to_chars(digits, digits + sizeof digits, number).ptr};
    }
    std::string operator()(const std::string& text) const { return text; }
    std::string operator()(const JsonText& json) const { return json.text; }
  };
  return std::visit(Visitor{}, value);
}

Result<Value> check(const SettingInfo& setting, const Value& value) {
  switch (setting.kind) {
    case SettingKind::real:
    case SettingKind::whole:
      return check_number(setting, value);
    case SettingKind::word:
      return check_word(setting, value);
    case SettingKind::text:
      break;
  }
  if (std::holds_alternative<std::string>(value)) return value;
  return refuse_setting(setting, "a text, not " + setting_text(value));
}

Status check(const SettingInfo& setting, const Domain& domain) {
  struct Visitor {
    const SettingInfo& setting;
    Status operator()(const FloatDomain& d) const {
      if (setting.kind == SettingKind::whole)
        return refuse(Code::invalid,
                      std::string(setting.name) + " must be a whole number: write type: int",
                      "/type");
      if (auto low = at(setting, d.min, "/min"); !low) return low;
      return at(setting, d.max, "/max");
    }
    Status operator()(const IntDomain& d) const {
      if (auto low = at(setting, d.min, "/min"); !low) return low;
      return at(setting, d.max, "/max");
    }
    Status operator()(const ChoiceDomain& d) const {
      for (std::size_t i = 0; i < d.values.size(); ++i)
        if (auto fits = at(setting, d.values[i], "/values/" + std::to_string(i)); !fits)
          return fits;
      return Done{};
    }
    Status operator()(const BoolDomain&) const { return at(setting, true, ""); }
    Status operator()(const FixedDomain& d) const { return at(setting, d.value, "/value"); }
    Status operator()(const DerivedDomain&) const { return Done{}; }  // its value is not known yet
  };
  return std::visit(Visitor{setting}, domain);
}

Result<Value> parse_setting(const SettingInfo& setting, std::string_view text) {
  if (setting.kind == SettingKind::word || setting.kind == SettingKind::text)
    return check(setting, Value{std::string(text)});
  const auto value = read_literal(text);
  if (!value) return value.error();
  return check(setting, *value);
}

Result<Param> parse_assignment(const TrainerInfo& trainer, std::string_view text) {
  const auto equals = text.find('=');
  if (equals == std::string_view::npos)
    return refuse(Code::invalid, "--set takes name=value, not '" + std::string(text) + "'");
  const auto setting = setting_of(trainer, text.substr(0, equals));
  if (!setting) return setting.error();
  auto value = parse_setting(**setting, text.substr(equals + 1));
  if (!value) return std::move(value).error();
  return Param{std::string((*setting)->name), *std::move(value)};
}

Result<const SettingInfo*> setting_of(const TrainerInfo& trainer, std::string_view name) {
  if (const auto* setting = find_setting(trainer, name)) return setting;
  const std::string owner(trainer.name);
  return refuse(Code::invalid, "trainer '" + owner + "' has no setting '" + std::string(name) +
                                   "'" + did_you_mean(name, setting_names(trainer)) +
                                   "; `hone-train " + owner + " --help` lists its settings");
}

namespace {

struct EnvActions {
  std::string_view name;
  Actions actions;
};

#define HONE_ACTIONS(name, place, function, kind) EnvActions{name, Actions::kind},
constexpr EnvActions env_actions[]{HONE_ENVIRONMENTS(HONE_ACTIONS, HONE_ACTIONS)};
#undef HONE_ACTIONS

}  // namespace

Error wrong_actions(const TrainerInfo& trainer, std::string_view env) {
  const std::string sentence = std::string(trainer.name) + " needs ";
  const std::string those = " actions, and those of " + std::string(env) + " are ";
  if (trainer.actions == Actions::continuous)
    return refuse(Code::invalid, sentence + "continuous" + those + "discrete: take dqn or ppo",
                  "/env");
  return refuse(Code::invalid, sentence + "discrete" + those + "continuous: take sac or ppo",
                "/env");
}

Status check_actions(const TrainerInfo& trainer, std::string_view env) {
  if (trainer.actions == Actions::any) return Done{};
  for (const auto& [name, actions] : env_actions)
    if (name == env && actions != trainer.actions) return wrong_actions(trainer, env);
  return Done{};
}

std::vector<std::string_view> setting_names(const TrainerInfo& trainer) {
  std::vector<std::string_view> names;
  for (const auto& setting : trainer.settings) names.push_back(setting.name);
  return names;
}

}  // namespace hone::trainers
