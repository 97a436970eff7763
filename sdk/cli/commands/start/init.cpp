// init: writes a sweep file, and a program where none is given.
#include <filesystem>

#include "base/ascii.hpp"
#include "base/shell.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/types/spec.hpp"
#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/commands/start/init_hydra.hpp"
#include "sdk/cli/commands/start/init_texts.hpp"
#include "sdk/cli/commands/start/space_remarks.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/input.hpp"
#include "sdk/cli/session/session.hpp"
#include "sdk/cpp/sweep_file.hpp"

namespace hone::cli {
namespace {

struct InitOptions {
  std::string kind = "command";
  std::string script;
  std::string output;  // of the sweep file; empty: sweep.yaml
  bool force = false;
};

// Leaves out names that would not stay in their place of a sweep file: others may have written the
// program.
void keep_names(ScriptSource& script) {
  constexpr std::string_view signs = "_.-/@+";
  std::erase_if(script.flags, [&](const ScriptFlag& flag) {
    return flag.name.empty() || !is_plain(flag.name, signs) || !is_plain(flag.option, signs);
  });
  std::erase_if(script.needed, [&](const std::string& name) { return !is_plain(name, signs); });
}

// The flags of a program; those of Hydra lie in files next to it.
ScriptSource read_script(const InitOptions& options, const std::string& program) {
  ScriptSource script{options.script, program, {}, {}, {}, options.output};
  if (is_hydra(program)) {
    HydraSettings settings = scan_hydra(options.script, program);
    script.flags = std::move(settings.flags);
    script.groups = std::move(settings.groups);
    keep_names(script);
    return script;
  }
  ScriptFlags found = scan_flags(program);
  script.flags = std::move(found.flags);
  script.needed = std::move(found.positional);
  keep_names(script);
  return script;
}

// Editors with yaml-language-server complete and check the file by it.
constexpr std::string_view schema_line =
    "# yaml-language-server: $schema=sweep.schema.json   "
    "(write it: hone schema > sweep.schema.json)\n";

constexpr std::size_t program_bytes_max = std::size_t{4} * 1024 * 1024;

Result<std::vector<InitFile>> files_for(const InitOptions& options) {
  if (options.script.empty()) {
    auto files = init_files(options.kind);
    if (files.empty())
      return refuse(Code::invalid, "'" + options.kind +
                                       "' is neither a Python program nor command, sb3, ga3c or "
                                       "python");
    return files;
  }
  const auto program = read_file(options.script, program_bytes_max);
  if (!program) return program.error();
  const ScriptSource script = read_script(options, *program);
  if (script_parameters(script.flags).empty())
    return refuse(
        Code::invalid,
        options.script +
            " has no flag to search: one of argparse, click, absl, tyro or another reader "
            "of dataclasses, fire or Hydra, with a number, a switch or choices; `hone init "
            "command` writes an example");
  std::string text = script_sweep(script, usual_trials);
  const auto file = read_sweep_text(text, options.output);
  const auto spec =
      file ? decode_request<SweepSpec>(file->document) : Result<SweepSpec>(file.error());
  if (spec) text = script_sweep(script, useful_trials(*spec, usual_trials));
  return std::vector<InitFile>{{options.output, std::move(text)}};
}

Result<Exit> init(Session& session, const InitOptions& chosen) {
  InitOptions options = chosen;
  const bool renamed = !options.output.empty();
  if (!renamed) options.output = "sweep.yaml";
  if (options.script.empty() && options.kind.ends_with(".py"))
    std::swap(options.script, options.kind);
  else if (!options.script.empty() && options.kind != "command")
    return refuse(Code::invalid, "a program is given with the kind command only");
  auto files = files_for(options);
  if (!files) return files.error();
  for (InitFile& file : *files) {
    if (renamed && file.name == "sweep.yaml") file.name = options.output;
    if (file.name == options.output) file.text = std::string(schema_line) + file.text;
  }
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
                         : "next: hone plan " + shell_word(options.output) + ", then hone submit " +
                               shell_word(options.output) + " --watch");
  return Exit::ok;
}

}  // namespace

CommandAction declare_init(Flags& flags) {
  return with_options(init, [&](InitOptions& options) {
    flags.optional_argument("KIND", options.kind,
                            "command (the default), sb3, ga3c, python; or your program, FILE.py");
    flags.optional_argument("SCRIPT", options.script,
                            "with command: your Python program; its flags are read, not executed");
    flags.text("-o,--output FILE", options.output, "the sweep file to write (sweep.yaml)");
    flags.flag("--force", options.force, "replace existing files");
  });
}

}  // namespace hone::cli
