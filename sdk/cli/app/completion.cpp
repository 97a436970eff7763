// completion: the scripts with which shells complete `hone`.
#include <algorithm>
#include <array>

#include "sdk/cli/app/command_table.hpp"
#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/output.hpp"

namespace hone::cli {
namespace {

// Completes the first word from the table, then flags from the help of the command, else files.
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

constexpr std::string_view zsh_script = R"zsh(#compdef hone
_hone() {
  local -a commands flags
  commands=(
@ROWS@  )
  if (( CURRENT == 2 )); then
    _describe command commands
  elif [[ $PREFIX == -* ]]; then
    flags=(${(f)"$(hone $words[2] --help 2>/dev/null | grep -oE -- '--[a-z][a-z-]*' | sort -u)"})
    compadd -- $flags
  elif [[ $words[CURRENT-1] == --format ]]; then
    compadd table json jsonl csv value
  else
    _files
  fi
}
if [ "$funcstack[1]" = "_hone" ]; then _hone "$@"; else compdef _hone hone; fi
)zsh";

constexpr std::string_view fish_script = R"fish(function __hone_flags
  set -l words (commandline -opc)
  test (count $words) -gt 1
  and hone $words[2] --help 2>/dev/null | grep -oE -- '--[a-z][a-z-]*' | sort -u
end
@ROWS@function __hone_wants_flags
  not __fish_use_subcommand; and string match -q -- "-*" (commandline -ct)
end
complete -c hone -n __hone_wants_flags -f -a '(__hone_flags)'
complete -c hone -l format -x -a 'table json jsonl csv value'
)fish";

std::string filled(std::string_view script, std::string_view mark, const std::string& text) {
  std::string result(script);
  return result.replace(result.find(mark), mark.size(), text);
}

std::string bash_completion() {
  std::string names;
  for (const auto& command : command_table())
    names.append(names.empty() ? "" : " ").append(command.name);
  return filled(bash_script, "@NAMES@", names);
}

// In single quotes; the table holds neither quotes nor backslashes.
std::string in_single_quotes(std::string_view text) {
  std::string plain(text);
  std::replace(plain.begin(), plain.end(), '\'', '"');
  return "'" + plain + "'";
}

std::string zsh_completion() {
  std::string rows;
  for (const auto& command : command_table())
    rows += "    " +
            in_single_quotes(std::string(command.name) + ":" + std::string(command.summary)) + "\n";
  return filled(zsh_script, "@ROWS@", rows);
}

std::string fish_completion() {
  std::string rows;
  for (const auto& command : command_table())
    rows += "complete -c hone -n __fish_use_subcommand -f -a " + std::string(command.name) +
            " -d " + in_single_quotes(command.summary) + "\n";
  return filled(fish_script, "@ROWS@", rows);
}

struct Shell {
  std::string_view name;
  std::string (*script)();
};
constexpr std::array shells{Shell{"bash", bash_completion}, Shell{"zsh", zsh_completion},
                            Shell{"fish", fish_completion}};

Result<Exit> print_completion(Session& session, const std::string& wanted) {
  for (const Shell& shell : shells) {
    if (shell.name != wanted) continue;
    session.print(shell.script());
    return Exit::ok;
  }
  return refuse(Code::invalid,
                "no completion for '" + wanted + "'; the shells are bash, zsh and fish");
}

}  // namespace

CommandAction declare_completion(Flags& flags) {
  return with_options(print_completion, [&](std::string& shell) {
    flags.argument("SHELL", shell, "bash, zsh or fish");
  });
}

}  // namespace hone::cli
