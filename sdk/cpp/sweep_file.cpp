#include "sdk/cpp/sweep_file.hpp"

#include <array>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/read_file.hpp"
#include "schemas/codec/wide_integer.hpp"

namespace hone {
namespace {

Error too_large(const std::string& origin) {
  return refuse(Code::too_large,
                origin + " is larger than 1 MiB; a sweep file never needs that much");
}

Result<std::string> read_whole(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    return refuse(Code::invalid, path + " is a folder; name the sweep file in it");
  auto text = read_file_within(path, yaml_bytes_max);
  if (!text && text.error().code == Code::too_large) return too_large(path);
  return text;
}

Result<SweepFile> read_json_text(const std::string& text, const std::string& origin) {
  auto parsed = parse_json(text);
  if (!parsed.ok()) return refuse(Code::invalid, origin + ": " + parsed.error().detail);
  if (const auto wide = wide_integer(text))
    return refuse(Code::invalid, origin + ": " + wide->detail);
  // Nearly all JSON is also YAML, and the YAML reader records the lines.
  auto again = parse_yaml(text, origin);
  if (!again.ok()) return SweepFile{std::move(*parsed), origin, {}};
  return SweepFile{std::move(*parsed), origin, std::move(again->positions)};
}

std::vector<std::string> split(std::string_view path) {
  std::vector<std::string> parts;
  while (true) {
    const auto dot = path.find('.');
    parts.emplace_back(path.substr(0, dot));
    if (dot == std::string_view::npos) return parts;
    path.remove_prefix(dot + 1);
  }
}

// One step of a path: the member that the next parts name (the longest existing one), or an item of
// a list.
struct Step {
  Json* to = nullptr;
  std::size_t parts = 0;  // how many were used
};

Step into_object(Json& object, const std::vector<std::string>& parts, std::size_t from) {
  std::string key = parts[from];
  Step best{nullptr, 1};
  for (std::size_t end = from + 1; end <= parts.size(); ++end) {
    const auto found = object.find(key);
    if (found != object.end()) best = {&*found, end - from};
    if (end < parts.size()) key += "." + parts[end];
  }
  if (best.to == nullptr) best.to = &object[parts[from]];
  return best;
}

Step into_list(Json& list, const std::string& part) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), index);
  const bool ok = error == std::errc{} && end == part.data() + part.size() && index < list.size();
  return ok ? Step{&list[index], 1} : Step{};
}

// "replicates.seeds is 3, which has no fields": why a path ends there.
std::string obstacle_text(const std::string& path, const Json& there) {
  constexpr std::size_t shown = 40;
  if (there.is_array())
    return path + " is a list of " + std::to_string(there.size()) + ": name an item by its index";
  const std::string value = there.dump();
  return path + " is " + (value.size() > shown ? value.substr(0, shown) + "..." : value) +
         ", which has no fields: set it as a whole";
}

// Finds or creates the field at the path. Refuses a path through a scalar, or past the end of a
// list.
Result<Json*> follow(Json& document, const std::vector<std::string>& parts) {
  Json* here = &document;
  for (std::size_t i = 0; i < parts.size();) {
    if (here->is_null()) *here = Json::object();
    Step step;
    if (here->is_object()) step = into_object(*here, parts, i);
    if (here->is_array()) step = into_list(*here, parts[i]);
    if (step.to == nullptr) {
      std::string path;
      for (std::size_t k = 0; k < i; ++k) path += (k > 0 ? "." : "") + parts[k];
      return refuse(Code::invalid, obstacle_text(path.empty() ? "the file" : path, *here));
    }
    here = step.to;
    i += step.parts;
  }
  return here;
}

}  // namespace

std::string SweepFile::place(const std::string& json_pointer) const {
  for (std::string pointer = json_pointer;; pointer.resize(pointer.rfind('/'))) {
    const auto found = positions.find(pointer);
    if (found != positions.end()) return place_in(origin, found->second);
    if (pointer.find('/') == std::string::npos) return origin;
  }
}

Result<SweepFile> read_sweep_file(const std::string& path) {
  if (path.ends_with(".py"))
    return refuse(Code::invalid, path +
                                     " is a Python program, not a sweep file; write one for it "
                                     "with: hone init " +
                                     path);
  auto text = read_whole(path);
  if (!text.ok()) return std::move(text).error();
  return read_sweep_text(*text, path);
}

Result<SweepFile> read_sweep_text(const std::string& text, const std::string& origin) {
  if (text.size() > yaml_bytes_max) return too_large(origin);
  if (origin.ends_with(".json")) return read_json_text(text, origin);
  auto parsed = parse_yaml(text, origin);
  if (!parsed.ok()) return std::move(parsed).error();
  return SweepFile{std::move(parsed->json), origin, std::move(parsed->positions)};
}

Status set_path(Json& document, const std::string& assignment) {
  const auto equals = assignment.find('=');
  const std::string path = assignment.substr(0, equals);
  if (equals == std::string::npos || path.empty())
    return refuse(Code::invalid, assignment + ": write it as path=value, as in budget.phases=5");
  const auto parts = split(path);
  for (const auto& part : parts)
    if (part.empty()) return refuse(Code::invalid, path + ": a name between two dots is empty");
  if (equals + 1 == assignment.size())
    return refuse(Code::invalid,
                  path + ": the value is missing; write '' for an empty text, null for none");
  auto value = parse_yaml(assignment.substr(equals + 1), path);
  if (!value.ok()) return std::move(value).error();
  Json changed = document;
  const auto target = follow(changed, parts);
  if (!target) return refuse(Code::invalid, path + ": " + target.error().detail);
  **target = std::move(value->json);
  document = std::move(changed);
  return Done{};
}

}  // namespace hone
