// version and completion: what needs no server.
#include <nlohmann/json.hpp>

#include "sdk/cli/command_table.hpp"
#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/flags.hpp"
#include "sdk/cli/output.hpp"

namespace hone::cli {
namespace {

// The first word from the table; then the flags the command itself names in its help; else files.
constexpr std::string_view bash_script = R"(_hone() {
  local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]}
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "@NAMES@" -- "$word"))
  elif [[ $word == -* ]]; then
    local flags=$(hone "$command" --help 2>/dev/null | grep -oE -- '--[a-z][a-z-]*' | sort -u)
    COMPREPLY=($(compgen -W "$flags" -- "$word"))
  elif [[ ${COMP_WORDS[COMP_CWORD-1]} == --format ]]; then
    local own=; [[ $command == export ]] && own=curves
    COMPREPLY=($(compgen -W "table json jsonl csv value $own" -- "$word"))
  else
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}
complete -o filenames -F _hone hone
)";

std::string bash_completion() {
  std::string names;
  for (const auto& command : command_table())
    names.append(names.empty() ? "" : " ").append(command.name);
  std::string script(bash_script);
  const std::string_view mark = "@NAMES@";
  return script.replace(script.find(mark), mark.size(), names);
}

}  // namespace

Work declare_version(Flags&) {
  return [](Session& session) {
    const Json version = {{"name", "hone"}, {"version", HONE_VERSION}};
    return print_object(session, version, "hone " HONE_VERSION "\n");
  };
}

Work declare_completion(Flags& flags) {
  auto shell = std::make_shared<std::string>();
  flags.argument("SHELL", *shell, "bash");
  return [shell](Session& session) -> Result<Exit> {
    if (*shell != "bash")
      return refuse(Code::invalid, "there is no completion for '" + *shell + "', only for bash");
    session.print(bash_completion());
    return Exit::ok;
  };
}

}  // namespace hone::cli
