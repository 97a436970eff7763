#include "worker/process/command_line.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/ascii.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/types/command_words.hpp"

namespace hone::worker {
namespace fs = std::filesystem;
namespace {

std::string names_of(const Params& params) {
  std::string names;
  for (const auto& param : params) names += (names.empty() ? "" : ", ") + param.name;
  return names.empty() ? "this trial has none" : "this trial has " + names;
}

class Filler {
 public:
  Filler(const LeaseGrant& grant, const CommandPlaces& places) : grant_(grant), places_(places) {}

  Result<std::string> word(const std::string& word) const {
    const auto pieces = pieces_of(word);
    if (!pieces) return refuse(Code::invalid, "the command's word " + pieces.error().detail);
    std::string text;
    for (const WordPiece& piece : *pieces) {
      const auto found = piece.is_name ? value_of(piece) : piece.text;
      if (!found)
        return refuse(Code::invalid,
                      "the command names ${" + piece.text +
                          "}, which is not a parameter of this trial (" + names_of(grant_.params) +
                          "; a parameter whose 'when' does not hold is absent: write ${" +
                          piece.text + ":-value} for one that may be)");
      text += *found;
    }
    return text;
  }

  Result<std::vector<std::string>> words(const std::vector<std::string>& words) const {
    std::vector<std::string> filled;
    for (const auto& one : words) {
      auto text = word(one);
      if (!text) return text.error();
      filled.push_back(*std::move(text));
    }
    return filled;
  }

 private:
  std::optional<std::string> value_of(const WordPiece& piece) const {
    if (const Value* value = find(grant_.params, piece.text)) return value_text(*value);
    if (auto own = own_value(piece.text)) return own;
    return piece.fallback;
  }

  // One row for each of own_names().
  std::optional<std::string> own_value(const std::string& name) const {
    if (name == "hone.run") return text(grant_.attempt.run);
    if (name == "hone.attempt") return std::to_string(grant_.attempt.number);
    if (name == "hone.sweep") return text(grant_.sweep);
    if (name == "hone.seed") return std::to_string(grant_.seed);
    if (name == "hone.budget") return std::to_string(grant_.budget.per_run);
    if (name == "hone.phases") return std::to_string(grant_.budget.phases);
    if (name == "hone.cpus") return std::to_string(grant_.resources.cpus);
    if (name == "hone.folder") return places_.trial.files;
    if (name == "hone.work") return places_.work_folder;
    if (name == "hone.params_file") return places_.trial.params_file;
    if (name == "hone.resume") return places_.resume_path;
    if (name == "hone.run_file") return places_.trial.run_file;
    if (name == "hone.step") return grant_.step ? grant_.step->name : "";
    if (name == "hone.checkpoints") return places_.trial.checkpoints;
    return std::nullopt;
  }

  const LeaseGrant& grant_;
  const CommandPlaces& places_;
};

// Every word that may name a parameter.
std::vector<std::string> all_words(const CommandTrainer& command) {
  auto all = command.argv;
  all.insert(all.end(), command.prepare.begin(), command.prepare.end());
  for (const EnvVar& variable : command.env) all.push_back(variable.value);
  return all;
}

void hand_over(const Param& param, ParamStyle style, std::vector<std::string>& argv,
               std::vector<EnvVar>& env) {
  switch (style) {
    case ParamStyle::none:
    case ParamStyle::json:
      return;
    case ParamStyle::flags:
      argv.push_back("--" + param.name);
      argv.push_back(value_text(param.value));
      return;
    case ParamStyle::flags_equals:
      argv.push_back("--" + param.name + "=" + value_text(param.value));
      return;
    case ParamStyle::key_value:
      argv.push_back(param.name + "=" + value_text(param.value));
      return;
    case ParamStyle::env:
      env.push_back({variable_of(param.name), value_text(param.value)});
      return;
  }
}

std::string folder_of(WorkFolder policy, const CommandPlaces& places) {
  return policy == WorkFolder::shared ? places.work_folder : places.trial.files;
}

// Copies every entry of the working folder, hidden ones too, except the worker's data folder. Empty
// if there is nothing to copy.
Result<std::vector<std::string>> copy_stage(const LeaseGrant& grant, const CommandPlaces& places) {
  const fs::path files = fs::path(places.trial.files).lexically_normal();
  const fs::path data = files.parent_path().parent_path().parent_path();  // of DATA/runs/RUN/files
  std::vector<std::string> words{"cp", "-a", "--reflink=auto", "-t", files.string(), "--"};
  const auto without_entries = words.size();
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(places.work_folder, failure)) {
    const fs::path path = entry.path().lexically_normal();
    if (path == data) continue;
    if (std::mismatch(path.begin(), path.end(), data.begin(), data.end()).first == path.end())
      return refuse(Code::invalid, "folder: copy cannot copy " + path.string() +
                                       ": the worker's own data is in it; start the worker with "
                                       "another --data or --workdir");
    const std::string name = path.filename();
    const auto is_input = [&](const FileRef& file) { return file.name.starts_with(name + "/"); };
    if (std::ranges::any_of(grant.inputs, is_input))
      return refuse(Code::invalid, "folder: copy cannot copy " + path.string() +
                                       ": the files of step '" + name +
                                       "' are in a folder of that name; rename the step");
    words.push_back(path.string());
  }
  if (failure)
    return refuse(Code::invalid, "the working folder " + places.work_folder +
                                     " cannot be read: " + failure.message());
  if (words.size() == without_entries) words.clear();
  return words;
}

Result<CommandPlan> plan_of(const CommandTrainer& command, const LeaseGrant& grant,
                            const CommandPlaces& places) {
  const Filler fill(grant, places);
  auto argv = fill.words(command.argv);
  if (!argv) return argv.error();
  auto prepare = fill.words(command.prepare);
  if (!prepare) return prepare.error();
  CommandPlan plan{{}, {}, folder_of(command.folder, places)};
  for (const EnvVar& variable : command.env) {
    auto value = fill.word(variable.value);
    if (!value) return value.error();
    plan.env.push_back({variable.name, *std::move(value)});
  }
  const auto words = all_words(command);
  for (const Param& param : grant.params)
    if (!names(words, param.name)) hand_over(param, command.params, *argv, plan.env);
  if (command.params == ParamStyle::json && !names(words, "hone.params_file"))
    argv->push_back(places.trial.params_file);
  if (command.folder == WorkFolder::copy && !places.trial.files.empty()) {
    auto copy = copy_stage(grant, places);
    if (!copy) return copy.error();
    if (!copy->empty()) plan.stages.push_back(*std::move(copy));
  }
  if (!prepare->empty()) plan.stages.push_back(*std::move(prepare));
  plan.stages.push_back(*std::move(argv));
  return plan;
}

}  // namespace

std::string value_text(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return to_text(encode(value));
}

std::string variable_of(const std::string& parameter) {
  std::string name = "HONE_PARAM_";
  for (const char c : parameter) {
    const bool small = c >= 'a' && c <= 'z';
    name += small ? static_cast<char>(c - 'a' + 'A') : is_letter_or_digit(c) ? c : '_';
  }
  return name;
}

Result<CommandPlan> command_plan(const LeaseGrant& grant, const CommandPlaces& places) {
  if (const auto* builtin = std::get_if<BuiltinTrainer>(&grant.trainer))
    return CommandPlan{
        {{places.program_folder + "/hone-train", builtin->name}}, {}, places.work_folder};
  return plan_of(std::get<CommandTrainer>(grant.trainer), grant, places);
}

}  // namespace hone::worker
