#include "sdk/cli/local/passing_remarks.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/expect.hpp"
#include "schemas/codec/command_fill.hpp"
#include "schemas/types/command_words.hpp"
#include "schemas/types/passing.hpp"
#include "sdk/cli/local/script_flags.hpp"
#include "sdk/cli/session/input.hpp"

namespace hone::cli {
namespace {

// The texts of the files that the words name, if they are on this machine.
std::vector<std::string> programs_of(const CommandTrainer& command) {
  constexpr std::uintmax_t bytes_max = 1 << 20;  // of a program, not of data
  std::vector<std::string> programs;
  for (const std::string& word : command.argv) {
    std::string path = word;
    if (path.starts_with("${hone.work}/")) path.erase(0, 13);
    std::error_code failure;
    if (!std::filesystem::is_regular_file(path, failure)) continue;
    if (std::filesystem::file_size(path, failure) > bytes_max || failure) continue;
    if (auto text = read_file(path)) programs.push_back(*std::move(text));
  }
  return programs;
}

bool reads_hone(const std::string& program) {
  constexpr std::array signs{"HONE_PARAM", "HONE_RUN_FILE", "HONE_SOCKET", "import hone",
                             "from hone",  "hone.h",        "hone::"};
  return std::ranges::any_of(
      signs, [&](const char* sign) { return program.find(sign) != std::string::npos; });
}

bool is_truth(const Domain& domain) {
  if (std::holds_alternative<BoolDomain>(domain)) return true;
  const auto* choice = std::get_if<ChoiceDomain>(&domain);
  return choice != nullptr && std::ranges::any_of(choice->values, [](const Value& one) {
           return std::holds_alternative<bool>(one);
         });
}

bool is_switch(FlagForm form) {
  switch (form) {
    case FlagForm::on:
    case FlagForm::off:
    case FlagForm::pair:
    case FlagForm::python_bool:
      return true;
    case FlagForm::value:
    case FlagForm::truth:
    case FlagForm::items:
    case FlagForm::repeated:
    case FlagForm::setting:
      return false;
  }
  unreachable();
}

// Whether the command writes "--x=true" or "--x true" for the flag.
bool passes_text(const CommandTrainer& command, const ScriptFlag& flag, const std::string& name) {
  const std::string value = "${" + name + "}";
  const auto& words = command.argv;
  for (std::size_t i = 0; i < words.size(); ++i)
    if (words[i] == flag.option + "=" + value ||
        (words[i] == value && i > 0 && words[i - 1] == flag.option))
      return true;
  const bool named = names(naming_words(command), name);
  const bool as_text =
      command.params == ParamStyle::flags || command.params == ParamStyle::flags_equals;
  return !named && as_text && flag.option == "--" + name;
}

void add_form_remarks(const CommandTrainer& command, const Space& space,
                      std::vector<std::string>& remarks) {
  for (const std::string& program : programs_of(command))
    for (const ScriptFlag& flag : scan_flags(program).flags)
      for (const Parameter& parameter : space) {
        if (!is_switch(flag.form) || !is_truth(parameter.domain)) continue;
        if (!passes_text(command, flag, parameter.name)) continue;
        ScriptFlag named = flag;
        named.name = parameter.name;
        remarks.push_back(flag.option +
                          " of the program is a switch and does not read \"true\" or "
                          "\"false\": write the word \"" +
                          flag_words(named).front() + "\"" +
                          (flag.form == FlagForm::on ? ", or params: switches"
                           : flag.form == FlagForm::pair && flag.off == "--no-" + parameter.name
                               ? ", or params: pairs"
                               : ""));
      }
}

}  // namespace

std::vector<std::string> unread_parameters(const SweepSpec& spec) {
  auto unpassed = unpassed_parameters(spec);
  if (unpassed.empty()) return unpassed;
  for (const CommandTrainer* command : commands_of(spec))
    if (std::ranges::any_of(programs_of(*command), reads_hone)) return {};
  return unpassed;
}

std::vector<std::string> passing_remarks(const SweepSpec& spec) {
  std::vector<std::string> remarks;
  if (const auto unread = unread_parameters(spec); !unread.empty())
    remarks.push_back(not_passed(unread) + "; the program must read HONE_PARAMS_FILE");
  for (const CommandTrainer* command : commands_of(spec))
    add_form_remarks(*command, spec.parameters, remarks);
  return remarks;
}

}  // namespace hone::cli
