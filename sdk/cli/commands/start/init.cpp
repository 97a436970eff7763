// init: writes a sweep file, and a program where none is given.
#include <filesystem>

#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/commands/start/init_texts.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/input.hpp"
#include "sdk/cli/session/session.hpp"

namespace hone::cli {
namespace {

struct InitOptions {
  std::string kind = "command";
  std::string script;
  bool force = false;
};

Result<std::vector<InitFile>> files_for(const InitOptions& options) {
  if (options.script.empty()) {
    auto files = init_files(options.kind);
    if (files.empty())
      return refuse(Code::invalid, "'" + options.kind +
                                       "' is neither a Python program nor command, sb3, ga3c or "
                                       "python");
    return files;
  }
  const auto program = read_file(options.script);
  if (!program) return program.error();
  const auto flags = scan_argparse(*program);
  if (script_parameters(flags).empty())
    return refuse(Code::invalid,
                  options.script +
                      " has no flag to search: add_argument with type=float or int and a default, "
                      "or with choices; `hone init command` writes an example");
  return std::vector<InitFile>{{"sweep.yaml", script_sweep(options.script, *program, flags)}};
}

Result<Exit> init(Session& session, const InitOptions& chosen) {
  InitOptions options = chosen;
  if (options.script.empty() && options.kind.ends_with(".py"))
    std::swap(options.script, options.kind);
  else if (!options.script.empty() && options.kind != "command")
    return refuse(Code::invalid, "a program is given with the kind command only");
  const auto files = files_for(options);
  if (!files) return files.error();
  std::error_code ignored;
  for (const InitFile& file : *files)
    if (!options.force && std::filesystem::exists(file.name, ignored))
      return refuse(Code::conflict, file.name + " exists; add --force to replace it");
  for (const InitFile& file : *files) {
    if (auto written = write_file(file.name, file.text); !written) return written.error();
    session.print(file.name + "\n");
  }
  const bool is_python = files->back().name == "tune.py";
  session.note(is_python ? "next: python3 tune.py"
                         : "next: hone plan sweep.yaml, then hone submit sweep.yaml --watch");
  return Exit::ok;
}

}  // namespace

CommandAction declare_init(Flags& flags) {
  return with_options(init, [&](InitOptions& options) {
    flags.optional_argument("KIND", options.kind,
                            "command (the default), sb3, ga3c, python; or your program, FILE.py");
    flags.optional_argument("SCRIPT", options.script,
                            "with command: your Python program; its flags are read, not executed");
    flags.flag("--force", options.force, "replace existing files");
  });
}

}  // namespace hone::cli
