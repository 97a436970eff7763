#include "worker/process/command_line.hpp"

#include <nlohmann/json.hpp>

#include "schemas/codec/body.hpp"

namespace hone::worker {
namespace {

std::string names_of(const Params& params) {
  std::string names;
  for (const auto& param : params) names += (names.empty() ? "" : ", ") + param.name;
  return names.empty() ? "this trial has none" : "this trial has " + names;
}

Result<std::string> filled_in(const std::string& word, const Params& params) {
  std::string text;
  for (std::size_t at = 0; at < word.size();) {
    if (word.compare(at, 3, "$${") == 0) {
      text += "${";
      at += 3;
      continue;
    }
    if (word.compare(at, 2, "${") != 0) {
      text += word[at++];
      continue;
    }
    const auto end = word.find('}', at);
    if (end == std::string::npos)
      return refuse(Code::invalid, "the command's word '" + word + "' has a ${ without its }");
    const std::string name = word.substr(at + 2, end - at - 2);
    const Value* value = find(params, name);
    if (value == nullptr)
      return refuse(Code::invalid,
                    "the command names ${" + name + "}, which is no parameter of this trial (" +
                        names_of(params) + "; a parameter whose 'when' does not hold is absent)");
    text += value_text(*value);
    at = end + 1;
  }
  return text;
}

}  // namespace

std::string value_text(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return to_text(encode(value));
}

Result<std::vector<std::string>> command_line(const LeaseGrant& grant,
                                              const std::string& program_folder) {
  if (const auto* builtin = std::get_if<BuiltinTrainer>(&grant.trainer))
    return std::vector<std::string>{program_folder + "/hone-train", builtin->name};
  std::vector<std::string> argv;
  for (const auto& word : std::get<CommandTrainer>(grant.trainer).argv) {
    auto text = filled_in(word, grant.params);
    if (!text) return text.error();
    argv.push_back(std::move(*text));
  }
  return argv;
}

}  // namespace hone::worker
