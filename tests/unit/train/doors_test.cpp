// Every setting of every trainer through the two doors: a sweep file, as `hone plan` and the server
// check it, and an option of hone-train. Both give the same answer in the same words.
#include <gtest/gtest.h>

#include "schemas/codec/body.hpp"
#include "schemas/trainers/check.hpp"
#include "schemas/trainers/settings.hpp"
#include "schemas/types/spec.hpp"
#include "schemas/values/literal.hpp"
#include "sdk/cpp/yaml_document.hpp"
#include "server/sweep/submit/check.hpp"

namespace hone::trainers {
namespace {

// What a door answers: empty if it accepts.
std::string at_a_sweep_file(const TrainerInfo& trainer, const std::string& name,
                            const std::string& text) {
  const std::string free = trainer.settings.back().name == name
                               ? std::string(trainer.settings.front().name)
                               : std::string(trainer.settings.back().name);
  const std::string objective(usual_objective(trainer));
  const auto document = parse_yaml(
      "name: doors\ntrainer: {name: " + std::string(trainer.name) + ", " + name + ": " + text +
          "}\nobjective: {metric: " + objective +
          ", goal: maximize}\nsearch: {method: random, trials: 1}\nterminator: {rule: none}\n"
          "budget: {unit: " +
          std::string(trainer.unit) + ", per_run: 10, phases: 1}\nparameters:\n  " + free +
          ": {type: derived, expr: \"1\"}\n",
      "doors.yaml");
  if (!document) {  // without the place in the file, which an option has not
    const auto& detail = document.error().detail;
    return detail.substr(detail.find(": ") + 2);
  }
  const auto spec = decode_request<SweepSpec>(document->json);
  if (!spec) return spec.error().detail;
  const auto fits = check_spec(*spec);
  return fits ? "" : fits.error().detail;
}

std::string at_an_option(const TrainerInfo& trainer, const std::string& name,
                         const std::string& text) {
  const auto param = parse_assignment(trainer, name + "=" + text);
  if (!param) return param.error().detail;
  const auto settings = Settings::resolve(trainer, {*param}, {});
  return settings ? "" : settings.error().detail;
}

std::vector<std::string> numbers_around(const SettingRange& range) {
  std::vector<std::string> texts;
  for (const double bound : {range.min, range.max})
    for (const double number : {bound, bound - 1, bound + 1, bound - 0.5, bound + 0.5, -bound})
      texts.push_back(setting_text(Value{number}));
  return texts;
}

std::vector<std::string> texts_for(const SettingInfo& setting) {
  std::vector<std::string> texts{"0",
                                 "1",
                                 "-1",
                                 "0.5",
                                 "64.0",
                                 "64.5",
                                 "+64",
                                 "1e3",
                                 "1e300",
                                 "-1e9",
                                 "0x40",
                                 "0o17",
                                 ".5",
                                 "5.",
                                 "true",
                                 "False",
                                 "yes",
                                 "text",
                                 "1_000",
                                 "12k",
                                 "1e400",
                                 ".nan",
                                 "-.inf",
                                 "nan",
                                 "064",
                                 "64x",
                                 "9223372036854775807",
                                 "9223372036854775808"};
  for (auto& text : numbers_around(setting.range)) texts.push_back(text);
  if (!setting.fallback.empty()) texts.emplace_back(setting.fallback);
  for (std::size_t i = 0; i < setting.words.size(); i += 7)
    texts.push_back(std::string(setting.words.substr(i, setting.words.find(' ', i) - i)) + "x");
  return texts;
}

// Words and texts keep the spelling of an option, which YAML reads as a number where it is one: a
// text setting accepts "64" there and not in a file, as the file could have said "64" in quotes.
bool is_own_spelling(const SettingInfo& setting, const std::string& text) {
  const auto value = read_literal(text);
  return setting.kind == SettingKind::text &&
         !(value && std::holds_alternative<std::string>(*value));
}

class EverySetting : public testing::TestWithParam<TrainerInfo> {};

TEST_P(EverySetting, is_accepted_or_refused_by_both_doors_in_the_same_words) {
  const auto& trainer = GetParam();
  std::size_t refused = 0, accepted = 0;
  for (const auto& setting : trainer.settings)
    for (const auto& text : texts_for(setting)) {
      if (text.find(',') != std::string::npos || text.find("x,") == 0) continue;
      if (is_own_spelling(setting, text)) continue;
      const std::string name(setting.name);
      const auto file = at_a_sweep_file(trainer, name, text);
      const auto option = at_an_option(trainer, name, text);
      const bool word = setting.kind == SettingKind::word;
      const auto value = read_literal(text);
      // A word that YAML reads as a number is shown as that number.
      if (word && (!value || !std::holds_alternative<std::string>(*value)))
        EXPECT_EQ(file.empty(), option.empty()) << name << ": " << text;
      else
        EXPECT_EQ(file, option) << name << ": " << text;
      ++(file.empty() ? accepted : refused);
    }
  EXPECT_GT(accepted, trainer.settings.size());
  EXPECT_GT(refused, 10 * trainer.settings.size());
}

TEST_P(EverySetting, of_an_unknown_name_is_refused_by_both_in_the_same_words) {
  const auto& trainer = GetParam();
  for (const char* name : {"no_such_setting", "learningrate", "Env", "batch_"})
    EXPECT_EQ(at_a_sweep_file(trainer, name, "1"), at_an_option(trainer, name, "1")) << name;
}

INSTANTIATE_TEST_SUITE_P(Catalog, EverySetting, testing::ValuesIn(trainer_catalog()),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace hone::trainers
