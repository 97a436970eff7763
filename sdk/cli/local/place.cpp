#include "sdk/cli/local/place.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "schemas/codec/trainer_codec.hpp"
#include "schemas/types/trainer_spec.hpp"
#include "sdk/cli/local/sweep_commands.hpp"

namespace hone::cli {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code none;
  return fs::is_regular_file(path, none);
}

bool is_program(const fs::path& path) { return is_file(path) && ::access(path.c_str(), X_OK) == 0; }

bool is_module(const fs::path& folder, std::string name) {
  for (char& c : name)
    if (c == '.') c = '/';
  std::error_code none;
  return is_file(folder / (name + ".py")) || fs::is_directory(folder / name, none);
}

// Whether the text names a file of the folder: train.py, --config=small.yaml, ${hone.work}/a.py.
bool names_file(const fs::path& folder, std::string text) {
  constexpr std::string_view of_work = "${hone.work}/";
  if (text.starts_with(of_work)) text.erase(0, of_work.size());
  if (const auto equals = text.find('='); equals != std::string::npos) text.erase(0, equals + 1);
  const bool relative = !text.empty() && !text.starts_with('/') && !text.starts_with('-');
  return relative && text.find("${") == std::string::npos && is_file(folder / text);
}

// A word may be a line for a shell.
bool names_any_file(const fs::path& folder, const std::vector<std::string>& words) {
  std::string before;
  for (const std::string& word : words) {
    std::istringstream parts(word);
    for (std::string part; parts >> part; before = part)
      if (names_file(folder, part) || (before == "-m" && is_module(folder, part))) return true;
    if (names_file(folder, word)) return true;
  }
  return false;
}

// The file that the name starts; empty if there is none.
std::string file_on_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string one; std::getline(folders, one, ':');)
    if (one.starts_with('/') && is_program(fs::path(one) / name)) return fs::path(one) / name;
  return {};
}

bool is_python(const std::string& program) { return program == "python" || program == "python3"; }

// The interpreter that starts the program, or whose environment has it; empty if there is none.
std::string interpreter_for(const std::string& program) {
  if (program.find('/') != std::string::npos) return {};
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const char* root = std::getenv(variable);
    if (root == nullptr || *root != '/') continue;
    const fs::path folder = fs::path(root) / "bin";
    if (!is_python(program) && !is_program(folder / program)) continue;
    for (const char* name : {"python3", "python"})
      if (is_program(folder / name)) return folder / name;
  }
  return is_python(program) ? file_on_path(program) : std::string();
}

// Resolves a path as users type it: ~/project, ../project.
std::string absolute(const fs::path& here, const std::string& path) {
  const char* home = std::getenv("HOME");
  if (home != nullptr && (path == "~" || path.starts_with("~/")))
    return (fs::path(home) / path.substr(std::min<std::size_t>(2, path.size()))).lexically_normal();
  auto whole = (here / path).lexically_normal();
  return whole.has_filename() || !whole.has_relative_path() ? whole : whole.parent_path();
}

void complete(Json& command, const fs::path& here) {
  const auto text = [&](const char* key) -> std::string* {
    const auto found = command.find(key);
    return found == command.end() ? nullptr : found->get_ptr<std::string*>();
  };
  if (auto* cwd = text("cwd")) *cwd = absolute(here, *cwd);
  if (auto* python = text("python")) {
    const bool bare = python->find('/') == std::string::npos && !file_on_path(*python).empty();
    *python = bare ? file_on_path(*python) : absolute(here, *python);
  }
}

void record(Json& command, const fs::path& here) {
  if (command.is_object()) complete(command, here);
  const auto known = decode_command(command, "");
  if (!known || known->submitter != SubmitterPlace{}) return;  // the reader of sweep files says why
  Json place = Json::object();
  if (known->cwd.empty() && !known->code &&
      (names_any_file(here, known->argv) || names_any_file(here, known->prepare)))
    place["folder"] = here.string();
  if (known->python.empty())
    if (auto python = interpreter_for(known->argv.front()); !python.empty())
      place["python"] = std::move(python);
  if (place.empty()) return;
  if (!command.is_object()) command = Json{{"run", std::move(command)}};
  command["submitter"] = std::move(place);
}

}  // namespace

void record_place(Json& document) {
  std::error_code trouble;
  const fs::path here = fs::current_path(trouble);
  if (trouble) return;
  each_command(document, [&](Json& command) { record(command, here); });
}

std::string place_text(const Json& spec) {
  std::string text;
  each_command(spec, [&](const Json& command) {
    const auto known = decode_command(command, "");
    if (!text.empty() || !known) return;
    const std::string& folder = known->cwd.empty() ? known->submitter.folder : known->cwd;
    const std::string& python = known->python.empty() ? known->submitter.python : known->python;
    if (!folder.empty()) text = "in " + folder;
    if (!python.empty()) text += (text.empty() ? "with " : " with ") + python;
  });
  return text;
}

}  // namespace hone::cli
