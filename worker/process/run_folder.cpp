#include "worker/process/run_folder.hpp"

#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "schemas/codec/body.hpp"
#include "schemas/codec/trainer_codec.hpp"
#include "schemas/codec/words.hpp"
#include "schemas/types/reach.hpp"
#include "worker/agent/attempt_phases.hpp"

namespace hone::worker {
namespace fs = std::filesystem;
namespace {

// The path of a socket is limited to 107 bytes; that of a data folder may be longer.
std::string socket_path(const fs::path& folder, LeaseId lease) {
  std::string inside = folder / "socket";
  if (inside.size() < sizeof(sockaddr_un::sun_path)) return inside;
  const std::string name = "hone-" + std::to_string(::getpid()) + "-" + text(lease) + ".socket";
  return fs::temp_directory_path() / name;
}

Error no_folder(const fs::path& path, const std::error_code& failure) {
  return refuse(Code::internal,
                "the run's folder " + path.string() + " cannot be created: " + failure.message());
}

// The run owns the file that it continues from: its program may write to it.
Result<std::string> take_resume(const fs::path& folder, const std::string& resume_path) {
  if (resume_path.empty()) return std::string{};
  const fs::path taken = folder / "resume";
  std::error_code failure;
  fs::rename(resume_path, taken, failure);
  if (failure) return no_folder(taken, failure);
  return taken.string();
}

// Moves the folders of earlier steps to where the program finds them.
Status take_inputs(const fs::path& files, const std::string& inputs_path) {
  if (inputs_path.empty()) return Done{};
  std::error_code failure;
  for (const auto& step : fs::directory_iterator(inputs_path, failure)) {
    fs::rename(step.path(), files / step.path().filename(), failure);
    if (failure) return no_folder(files / step.path().filename(), failure);
  }
  if (failure) return no_folder(inputs_path, failure);
  fs::remove(inputs_path, failure);
  return Done{};
}

}  // namespace

std::string run_file_text(const LeaseGrant& grant, const std::string& resume_path) {
  Json json = Json::object();
  json["run"] = text(grant.attempt.run);
  json["attempt"] = grant.attempt.number;
  json["sweep"] = text(grant.sweep);
  json["sweep_name"] = grant.sweep_name;
  json["trainer"] = encode(grant.trainer);
  json["params"] = encode(grant.params);
  json["seed"] = grant.seed;
  const auto objective_json = [](const Objective& objective) {
    return Json{{"metric", objective.metric}, {"goal", word(metric_goal(objective))}};
  };
  json["objective"] = objective_json(grant.objective);
  for (const Objective& one : grant.further_objectives)
    json["further_objectives"].push_back(objective_json(one));
  json["budget"] = {{"unit", grant.budget.unit},
                    {"per_run", grant.budget.per_run},
                    {"phases", grant.budget.phases}};
  // Trainers of hone train up to the end of a phase; a program trains the phases that it is given.
  const AttemptOrigin origin = origin_of(grant);
  const bool builtin = std::holds_alternative<BuiltinTrainer>(grant.trainer);
  json["next_phase"] = builtin ? grant.next_phase : std::min(origin.phase, grant.next_phase);
  json["origin"] = {{"step", origin.step}, {"phase", origin.phase}};
  json["resume"] = nullptr;
  if (grant.resume)
    json["resume"] = {{"model", text(grant.resume->id)},
                      {"path", resume_path},
                      {"step", grant.resume->step},
                      {"phase", grant.resume->phase}};
  if (grant.step)
    json["step"] = {
        {"name", grant.step->name}, {"index", grant.step->index}, {"count", grant.step->count}};
  return to_pretty_text(json) + "\n";
}

namespace {

TrialPlaces places_in(const fs::path& folder, LeaseId lease) {
  return {folder / "run.json", socket_path(folder, lease), folder / "checkpoints", folder / "files",
          folder / "params.json"};
}

fs::path path_of(const std::string& data, const LeaseGrant& grant) {
  return fs::path(data) / "runs" / text(grant.attempt);
}

fs::path second_path_of(const std::string& data, const LeaseGrant& grant) {
  return fs::path(data) / "runs" / (text(grant.attempt) + "-" + text(grant.lease));
}

// Returns whether the whole text was written.
bool write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  return !file.fail();
}

}  // namespace

Result<RunFolder> RunFolder::make(const std::string& data, const LeaseGrant& grant,
                                  const std::string& resume_path, const std::string& inputs_path) {
  fs::path folder = path_of(data, grant);
  std::error_code failure;
  // After a restored backup, an attempt of the same number may still be ending in it.
  if (fs::exists(folder, failure)) folder = second_path_of(data, grant);
  fs::create_directories(folder / "checkpoints", failure);
  if (!failure) fs::create_directories(folder / "files", failure);
  if (failure) return no_folder(folder, failure);
  const TrialPlaces places = places_in(folder, grant.lease);
  RunFolder made(folder, places);
  auto resume = take_resume(folder, resume_path);
  if (!resume) return resume.error();
  made.places_.resume = *std::move(resume);
  if (auto taken = take_inputs(places.files, inputs_path); !taken) return taken.error();
  if (!write_file(places.run_file, run_file_text(grant, made.places_.resume)) ||
      !write_file(places.params_file, to_pretty_text(encode(grant.params)) + "\n"))
    return refuse(Code::internal,
                  "the run file " + places.run_file + " cannot be written: is the disk full?");
  return made;
}

RunFolder RunFolder::adopt(const std::string& data, const LeaseGrant& grant) {
  fs::path folder = second_path_of(data, grant);
  if (std::error_code ignored; !fs::exists(folder, ignored)) folder = path_of(data, grant);
  return {folder, places_in(folder, grant.lease)};
}

RunFolder::RunFolder(std::string path, TrialPlaces places)
    : path_(std::move(path)), places_(std::move(places)) {}

RunFolder::RunFolder(RunFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), places_(std::move(other.places_)) {}

RunFolder::~RunFolder() {
  if (path_.empty()) return;
  std::error_code ignored;
  fs::remove(places_.socket, ignored);
  fs::remove_all(path_, ignored);
}

Result<std::string> RunFolder::checkpoint(const std::string& name) const {
  const auto bad = [&](const std::string& why) {
    return refuse(Code::invalid, "the checkpoint '" + name + "' " + why, "/checkpoint/path");
  };
  std::error_code failure;
  const fs::path root = fs::canonical(places_.checkpoints, failure);
  const fs::path path = failure ? fs::path{} : fs::canonical(root / name, failure);
  if (failure) return bad("is not there: " + failure.message());
  const auto [end, ignored] = std::mismatch(root.begin(), root.end(), path.begin(), path.end());
  if (end != root.end()) return bad("is not inside HONE_CHECKPOINT_DIR");
  if (!fs::is_regular_file(path, failure)) return bad("is not a file");
  return path.string();
}

}  // namespace hone::worker
