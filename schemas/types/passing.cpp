#include "schemas/types/passing.hpp"

#include <algorithm>
#include <map>

#include "base/ascii.hpp"
#include "schemas/types/command_words.hpp"

namespace hone {
namespace {

bool is_inner(char c) { return is_letter_or_digit(c) || c == '_' || c == '.'; }

// Whether an expression has this name as a whole word.
bool reads_name(const std::string& expression, const std::string& name) {
  for (auto at = expression.find(name); at != std::string::npos;
       at = expression.find(name, at + 1)) {
    const auto end = at + name.size();
    const bool begins = at == 0 || !is_inner(expression[at - 1]);
    if (begins && (end == expression.size() || !is_inner(expression[end]))) return true;
  }
  return false;
}

// A parameter that serves to compute others need not be passed itself.
bool is_computed_from(const Space& space, const std::string& name) {
  return std::ranges::any_of(space, [&](const Parameter& one) {
    const auto* derived = std::get_if<DerivedDomain>(&one.domain);
    return derived != nullptr && reads_name(derived->expr, name);
  });
}

// Whether a word hands over the file with all parameters, or names its variable.
bool hands_over_all(const std::vector<std::string>& words) {
  for (const char* name : {"hone.params", "hone.params_file", "hone.run_file"})
    if (names(words, name)) return true;
  return std::ranges::any_of(words, [](const std::string& word) {
    return word.find("HONE_PARAM") != std::string::npos ||
           word.find("HONE_RUN_FILE") != std::string::npos;
  });
}

}  // namespace

std::vector<std::string> naming_words(const CommandTrainer& command) {
  auto all = command.argv;
  all.insert(all.end(), command.prepare.begin(), command.prepare.end());
  for (const EnvVar& variable : command.env) all.push_back(variable.value);
  return all;
}

std::vector<std::string> unpassed_parameters(const CommandTrainer& command,
                                             const std::vector<std::string>& parameters) {
  const auto words = naming_words(command);
  if (command.params != ParamStyle::none || hands_over_all(words)) return {};
  std::vector<std::string> unpassed;
  for (const std::string& name : parameters)
    if (!names(words, name)) unpassed.push_back(name);
  return unpassed;
}

std::vector<std::string> unpassed_parameters(const SweepSpec& spec) {
  std::vector<std::string> left;
  for (const Parameter& parameter : spec.parameters)
    if (!is_computed_from(spec.parameters, parameter.name)) left.push_back(parameter.name);
  if (const auto* command = std::get_if<CommandTrainer>(&spec.trainer))
    return unpassed_parameters(*command, left);
  const auto* pipeline = std::get_if<PipelineTrainer>(&spec.trainer);
  if (pipeline == nullptr) return {};
  // A step that passes a parameter suffices.
  for (const StepSpec& step : pipeline->steps) left = unpassed_parameters(step.command, left);
  return left;
}

std::string not_passed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return "not passed by any word: " + text;
}

std::vector<SharedVariable> shared_variables(const CommandTrainer& command, const Space& space) {
  std::vector<SharedVariable> shared;
  if (command.params != ParamStyle::env) return shared;
  const auto words = naming_words(command);
  std::map<std::string, std::string> owners;
  for (const Parameter& parameter : space) {
    if (names(words, parameter.name)) continue;
    const auto [owner, is_new] = owners.try_emplace(variable_of(parameter.name), parameter.name);
    if (!is_new) shared.push_back({owner->second, parameter.name, owner->first});
  }
  return shared;
}

}  // namespace hone
