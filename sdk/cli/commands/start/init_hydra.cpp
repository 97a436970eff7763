#include "sdk/cli/commands/start/init_hydra.hpp"

#include <algorithm>

#include "sdk/cli/local/python_text.hpp"
#include "sdk/cli/local/script_fields.hpp"
#include "sdk/cli/session/input.hpp"
#include "sdk/cpp/yaml_document.hpp"

namespace hone::cli {
namespace {

namespace fs = std::filesystem;

struct ConfigPlace {
  fs::path folder;
  std::string name = "config";
};

ConfigPlace place_of(const fs::path& script, std::string_view program) {
  ConfigPlace place{script.parent_path(), "config"};
  each_call(program, "hydra.main", [&](std::size_t at) {
    for (const std::string& part : split_arguments(program, at)) {
      const Argument one = argument_of(part);
      const auto value = literal(one.value, program);
      if (!value || !value->is_string()) continue;
      if (one.name == "config_path")
        place.folder = script.parent_path() / value->get<std::string>();
      if (one.name == "config_name") place.name = value->get<std::string>();
    }
  });
  return place;
}

std::optional<Json> read_settings(const fs::path& file) {
  const auto text = read_file(file);
  if (!text) return std::nullopt;
  auto document = parse_yaml(*text, file.string());
  if (!document || !document->json.is_object()) return std::nullopt;
  return document->json;
}

void add_setting(const std::string& path, const Json& value, std::vector<ScriptFlag>& flags) {
  if (value.is_object()) {
    for (const auto& [key, inner] : value.items())
      if (key != "_target_") add_setting(path.empty() ? key : path + "." + key, inner, flags);
    return;
  }
  // "${model.width}" is computed from others.
  const bool computed = value.is_string() && value.get<std::string>().starts_with("${");
  if (path.starts_with("hydra") || computed) return;
  ScriptFlag flag;
  flag.option = flag.name = path;
  flag.form = FlagForm::setting;
  if (value.is_boolean()) flag.type = FlagType::truth;
  if (!value.is_null()) flag.given = value;
  if (value.is_number()) flag.type = value.is_number_integer() ? FlagType::whole : FlagType::real;
  flag.given_text = to_text(value);
  flags.push_back(std::move(flag));
}

std::vector<std::string> options_of(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

// "- model: mlp" of the defaults: the settings of conf/model/mlp.yaml are below "model".
void add_groups(const fs::path& folder, const Json& defaults, HydraSettings& found) {
  if (!defaults.is_array()) return;
  for (const Json& entry : defaults) {
    if (!entry.is_object() || entry.size() != 1 || !entry.begin()->is_string()) continue;
    const std::string group = entry.begin().key();
    if (const auto inner =
            read_settings(folder / group / (entry.begin()->get<std::string>() + ".yaml")))
      add_setting(group, *inner, found.flags);
    const auto options = options_of(folder / group);
    if (options.size() < 2) continue;
    std::string text;
    for (const std::string& option : options) text += (text.empty() ? "" : ", ") + option;
    found.groups.push_back(group + " (" + text + ")");
  }
}

// cs.store(name="config", node=Config)
std::string stored_class(std::string_view program, const std::string& name) {
  std::string found;
  each_call(program, "store", [&](std::size_t at) {
    std::string stored, node;
    for (const std::string& part : split_arguments(program, at)) {
      const Argument one = argument_of(part);
      if (one.name == "name") stored = unquoted(one.value).value_or("");
      if (one.name == "node") node = one.value;
    }
    if (stored == name) found = node;
  });
  return found;
}

}  // namespace

bool is_hydra(std::string_view program) { return calls(program, "hydra.main"); }

HydraSettings scan_hydra(const fs::path& script, std::string_view program) {
  const ConfigPlace place = place_of(script, program);
  const std::string file = place.name.ends_with(".yaml") ? place.name : place.name + ".yaml";
  HydraSettings found;
  if (auto settings = read_settings(place.folder / file)) {
    if (settings->contains("defaults")) add_groups(place.folder, (*settings)["defaults"], found);
    settings->erase("defaults");
    add_setting("", *settings, found.flags);
    return found;
  }
  if (const std::string node = stored_class(program, place.name); !node.empty())
    found.flags = scan_settings(program, node);
  return found;
}

}  // namespace hone::cli
