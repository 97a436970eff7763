#include "worker/process/command_line.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "schemas/codec/body.hpp"
#include "schemas/codec/command_fill.hpp"
#include "schemas/types/command_words.hpp"
#include "schemas/types/passing.hpp"
#include "worker/process/work_place.hpp"

namespace hone::worker {
namespace fs = std::filesystem;
namespace {

std::string names_of(const Params& params) {
  std::string names;
  for (const auto& param : params) names += (names.empty() ? "" : ", ") + param.name;
  return names.empty() ? "this trial has none" : "this trial has " + names;
}

// The values of the parameters and of hone's own names.
class Names {
 public:
  Names(const LeaseGrant& grant, const CommandPlaces& places) : grant_(grant), places_(places) {}

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
    if (name == "hone.seed") return std::to_string(grant_.seed);
    if (name == "hone.budget") return std::to_string(grant_.budget.per_run);
    if (name == "hone.phases") return std::to_string(grant_.budget.phases);
    if (name == "hone.cpus") return std::to_string(grant_.resources.cpus);
    if (name == "hone.folder") return places_.trial.files;
    if (name == "hone.work") return places_.work_folder;
    if (name == "hone.params_file") return places_.trial.params_file;
    if (name == "hone.params") return to_text(encode(grant_.params));
    if (name == "hone.resume") return places_.resume_path;
    if (name == "hone.run_file") return places_.trial.run_file;
    if (name == "hone.step") return grant_.step ? grant_.step->name : "";
    if (name == "hone.checkpoints") return places_.trial.checkpoints;
    return std::nullopt;
  }

  const LeaseGrant& grant_;
  const CommandPlaces& places_;
};

// A null has no variable, as it has no word.
void hand_over(const Param& param, ParamStyle style, std::vector<std::string>& argv,
               std::vector<EnvVar>& env) {
  for (std::string& word : passed_words(param, style)) argv.push_back(std::move(word));
  if (style == ParamStyle::env && param.value != Value{JsonText{}})
    env.push_back({variable_of(param.name), value_text(param.value)});
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
  const Names values(grant, places);
  auto argv = values.fill(command.argv);
  if (!argv) return argv.error();
  auto prepare = values.fill(command.prepare);
  if (!prepare) return prepare.error();
  const WorkPlace at{places.work_folder, places.python};
  CommandPlan plan{{}, activation(places.python), folder_of(command.folder, places)};
  for (const EnvVar& variable : command.env) {
    auto value = values.fill(variable);
    if (!value) return value.error();
    if (*value) plan.env.push_back({variable.name, **std::move(value)});
  }
  const auto words = naming_words(command);
  for (const Param& param : grant.params)
    if (!names(words, param.name)) hand_over(param, command.params, *argv, plan.env);
  if (command.params == ParamStyle::json && !names(words, "hone.params_file"))
    argv->push_back(places.trial.params_file);
  if (command.folder == WorkFolder::copy && !places.trial.files.empty()) {
    auto copy = copy_stage(grant, places);
    if (!copy) return copy.error();
    if (!copy->empty()) plan.stages.push_back(*std::move(copy));
  }
  if (!prepare->empty()) plan.stages.push_back(words_at(at, *std::move(prepare)));
  plan.stages.push_back(words_at(at, *std::move(argv)));
  return plan;
}

}  // namespace

Result<CommandPlan> command_plan(const LeaseGrant& grant, const CommandPlaces& places) {
  if (const auto* builtin = std::get_if<BuiltinTrainer>(&grant.trainer))
    return CommandPlan{
        {{places.program_folder + "/hone-train", builtin->name}}, {}, places.work_folder};
  return plan_of(std::get<CommandTrainer>(grant.trainer), grant, places);
}

}  // namespace hone::worker
