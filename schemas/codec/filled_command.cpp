#include "schemas/codec/filled_command.hpp"

#include <nlohmann/json.hpp>

#include "schemas/codec/body.hpp"
#include "schemas/codec/command_fill.hpp"
#include "schemas/types/command_words.hpp"
#include "schemas/types/passing.hpp"

namespace hone {
namespace {

constexpr std::uint64_t short_seed_max = (1ULL << 31) - 1;  // numpy.random.seed and C's int

std::string names_of(const Params& params) {
  std::string names;
  for (const auto& param : params) names += (names.empty() ? "" : ", ") + param.name;
  return names.empty() ? "this trial has none" : "this trial has " + names;
}

// The values of the parameters and of hone's own names.
class CommandNames {
 public:
  CommandNames(const CommandTrainer& command, const LeaseGrant& grant, const LocalPlaces& places)
      : grant_(grant),
        places_(places),
        seed_(command.short_seeds ? grant.seed & short_seed_max : grant.seed) {}

  [[nodiscard]] std::uint64_t seed() const { return seed_; }
  [[nodiscard]] Result<std::vector<std::string>> fill(const std::vector<std::string>& words) const {
    return filled_words(
        words, [this](const std::string& name) { return value_of(name); },
        [this](const std::string& name) { return missing(name); });
  }
  // nullopt where the variable is left out.
  [[nodiscard]] Result<std::optional<std::string>> fill(const EnvVar& variable) const {
    auto texts = fill(std::vector<std::string>{variable.value});
    if (!texts) return texts.error();
    if (texts->empty()) return std::optional<std::string>();
    std::string joined;
    for (const std::string& text : *texts) joined += (joined.empty() ? "" : " ") + text;
    return std::optional(std::move(joined));
  }

 private:
  [[nodiscard]] std::optional<Value> value_of(const std::string& name) const {
    if (const Value* value = find(grant_.params, name)) return *value;
    return own_value(name);
  }

  [[nodiscard]] Error missing(const std::string& name) const {
    return refuse(Code::invalid,
                  "the command names ${" + name + "}, which is not a parameter of this trial (" +
                      names_of(grant_.params) +
                      "; a parameter whose 'when' does not hold is absent: write ${" + name +
                      ":-value} for one that may be)");
  }

  // One row for each of own_names().
  [[nodiscard]] std::optional<std::string> own_value(const std::string& name) const {
    if (name == "hone.run") return text(grant_.attempt.run);
    if (name == "hone.attempt") return std::to_string(grant_.attempt.number);
    if (name == "hone.sweep") return text(grant_.sweep);
    if (name == "hone.seed") return std::to_string(seed_);
    if (name == "hone.budget") return std::to_string(grant_.budget.per_run);
    if (name == "hone.phases") return std::to_string(grant_.budget.phases);
    if (name == "hone.cpus") return std::to_string(grant_.resources.cpus);
    if (name == "hone.folder") return places_.files;
    if (name == "hone.work") return places_.work;
    if (name == "hone.params_file") return places_.params_file;
    if (name == "hone.params") return to_text(encode(grant_.params));
    if (name == "hone.resume") return places_.resume;
    if (name == "hone.run_file") return places_.run_file;
    if (name == "hone.step") return grant_.step ? grant_.step->name : "";
    if (name == "hone.checkpoints") return places_.checkpoints;
    return std::nullopt;
  }

  const LeaseGrant& grant_;
  const LocalPlaces& places_;
  std::uint64_t seed_;
};

// A null has no variable, as it has no word.
void hand_over(const Param& param, ParamStyle style, std::vector<std::string>& argv,
               std::vector<EnvVar>& env) {
  for (std::string& word : passed_words(param, style)) argv.push_back(std::move(word));
  if (style == ParamStyle::env && param.value != Value{JsonText{}})
    env.push_back({variable_of(param.name), value_text(param.value)});
}

}  // namespace

Result<FilledCommand> filled_command(const CommandTrainer& command, const LeaseGrant& grant,
                                     const LocalPlaces& places) {
  const CommandNames values(command, grant, places);
  auto argv = values.fill(command.argv);
  if (!argv) return argv.error();
  auto prepare = values.fill(command.prepare);
  if (!prepare) return prepare.error();
  FilledCommand filled{*std::move(argv), *std::move(prepare), {}, values.seed()};
  for (const EnvVar& variable : command.env) {
    auto value = values.fill(variable);
    if (!value) return value.error();
    if (*value) filled.env.push_back({variable.name, **std::move(value)});
  }
  const auto words = naming_words(command);
  for (const Param& param : grant.params)
    if (!names(words, param.name)) hand_over(param, command.params, filled.argv, filled.env);
  if (command.params == ParamStyle::json && !names(words, "hone.params_file"))
    filled.argv.push_back(places.params_file);
  return filled;
}

}  // namespace hone
