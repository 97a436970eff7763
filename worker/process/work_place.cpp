#include "worker/process/work_place.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace hone::worker {
namespace {

namespace fs = std::filesystem;

bool is_folder(const std::string& path) {
  std::error_code none;
  return fs::is_directory(path, none);
}

bool can_start(const std::string& path) {
  std::error_code none;
  return fs::is_regular_file(path, none) && ::access(path.c_str(), X_OK) == 0;
}

std::string own_path() {
  const char* path = std::getenv("PATH");
  return path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
}

}  // namespace

WorkPlace work_place(const TrainerSpec& trainer, const std::string& own, const std::string& code) {
  const auto* command = std::get_if<CommandTrainer>(&trainer);
  WorkPlace place{own};
  if (command == nullptr) return place;
  const std::string& users = command->submitter.folder;
  if (!code.empty()) {
    place.folder = code;
  } else if (!command->cwd.empty()) {
    place.folder = command->cwd;
    if (!is_folder(command->cwd)) place.missing = "the folder " + command->cwd + " (command.cwd)";
  } else if (!users.empty() && is_folder(users)) {
    place.folder = users;
  } else if (!users.empty()) {
    place.remark = "the folder in which it was submitted, " + users +
                   ", is not on this machine: it runs in " + own;
  }
  if (!command->python.empty()) {
    place.python = command->python;
    if (!can_start(command->python) && place.missing.empty())
      place.missing = "the interpreter " + command->python + " (command.python)";
  } else if (can_start(command->submitter.python)) {
    place.python = command->submitter.python;
  }
  return place;
}

std::string why_not_here(const WorkPlace& place, const std::string& host, WorkerId worker) {
  return place.missing + " is not on " + host + " (" + text(worker) +
         "); code: snapshot sends the code along";
}

std::vector<std::string> words_at(const WorkPlace& place, std::vector<std::string> words) {
  if (place.python.empty() || words.empty()) return words;
  std::string& program = words.front();
  if (program == "python" || program == "python3") {
    program = place.python;
  } else if (!program.empty() && program.find('/') == std::string::npos &&
             !activation(place.python).empty()) {
    const std::string there = fs::path(place.python).parent_path() / program;
    if (can_start(there)) program = there;
  }
  return words;
}

std::vector<EnvVar> activation(const std::string& python) {
  if (python.empty()) return {};
  const fs::path folder = fs::path(python).parent_path();
  const fs::path root = folder.parent_path();
  const std::string path = own_path();
  std::vector<EnvVar> env;
  std::error_code none;
  if (fs::exists(root / "pyvenv.cfg", none))
    env.push_back({"VIRTUAL_ENV", root.string()});
  else if (fs::is_directory(root / "conda-meta", none))
    env.push_back({"CONDA_PREFIX", root.string()});
  else if ((":" + path + ":").find(":" + folder.string() + ":") != std::string::npos)
    return {};
  env.push_back({"PATH", folder.string() + ":" + path});
  return env;
}

}  // namespace hone::worker
