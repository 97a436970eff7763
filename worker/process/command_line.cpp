#include "worker/process/command_line.hpp"

#include <algorithm>
#include <filesystem>

#include "schemas/codec/filled_command.hpp"
#include "worker/process/work_place.hpp"

namespace hone::worker {
namespace fs = std::filesystem;
namespace {

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
  auto filled =
      filled_command(command, grant,
                     {places.trial.files, places.work_folder, places.trial.params_file,
                      places.trial.run_file, places.trial.resume, places.trial.checkpoints});
  if (!filled) return filled.error();
  const WorkPlace at{places.work_folder, places.python};
  CommandPlan plan{{}, activation(places.python), folder_of(command.folder, places)};
  for (EnvVar& variable : filled->env) plan.env.push_back(std::move(variable));
  if (command.folder == WorkFolder::copy && !places.trial.files.empty()) {
    auto copy = copy_stage(grant, places);
    if (!copy) return copy.error();
    if (!copy->empty()) plan.stages.push_back(*std::move(copy));
  }
  if (!filled->prepare.empty()) plan.stages.push_back(words_at(at, std::move(filled->prepare)));
  plan.stages.push_back(words_at(at, std::move(filled->argv)));
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
