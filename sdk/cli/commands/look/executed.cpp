#include "sdk/cli/commands/look/executed.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/shell.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/codec/filled_command.hpp"
#include "schemas/types/spec.hpp"
#include "sdk/cli/render/fields.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/width.hpp"

namespace hone::cli {
namespace {

std::string line_of(const Json& argv, const Json& env) {
  std::string line;
  for (const auto& [name, value] : env.items())
    line += name + "=" + shell_word(value.get<std::string>()) + " ";
  return "  " + printable(line + shell_words(argv.get<std::vector<std::string>>())) + "\n";
}

// The step of its pipeline that the attempt executed; 0 without a pipeline.
int step_of_attempt(const SweepSpec& spec, const std::vector<Json>& attempts, int attempt) {
  std::string name;
  for (std::size_t i = 0; i < attempts.size(); ++i)
    if (attempt == 0 || std::cmp_equal(i + 1, attempt)) name = text_at(attempts[i], "/step");
  for (int step = 0; step < steps_of(spec); ++step)
    if (const StepSpec* one = step_of(spec, step); one != nullptr && one->name == name) return step;
  return 0;
}

// The interpreter in place of its name, as the worker starts it.
std::vector<std::string> with_interpreter(std::vector<std::string> words,
                                          const CommandTrainer& command) {
  const std::string& python = command.python.empty() ? command.submitter.python : command.python;
  if (!words.empty() && !python.empty() && (words[0] == "python" || words[0] == "python3"))
    words[0] = python;
  return words;
}

// The grant of the attempt, as far as the words of a command can name it.
Result<LeaseGrant> grant_of(Session& session, const SweepSpec& spec, const Json& run, RunId id) {
  const auto trial = session.get("/v1/trials/" + text(id.trial));
  if (!trial) return trial.error();
  LeaseGrant grant;
  if (const auto sweep = parse_id<SweepId>(text_at(run, "/sweep"))) grant.sweep = *sweep;
  const auto params = decode_params(member(*trial, "/params"), "");
  if (!params) return params.error();
  grant.params = *params;
  if (const auto& instances = spec.replicates.instances) {
    const auto i = static_cast<std::size_t>(id.replicate) % instances->values.size();
    grant.params.push_back({instances->parameter, instances->values[i]});
  }
  grant.seed = static_cast<std::uint64_t>(int_at(run, "/seed"));
  return grant;
}

// Completes the grant for one step of the run, and returns the command of it.
const CommandTrainer& command_of(const SweepSpec& spec, int step, LeaseGrant& grant) {
  grant.resources = resources_of(spec, step);
  const StepSpec* one = step_of(spec, step);
  if (one == nullptr) {
    grant.budget = spec.budget;
    return std::get<CommandTrainer>(spec.trainer);
  }
  int reported = 0;
  for (int earlier = 0; earlier < step; ++earlier)
    reported += step_of(spec, earlier)->phases.value_or(0);
  grant.budget = budget_of(spec, step, reported);
  grant.step = StepRef{.name = one->name, .index = step, .count = steps_of(spec)};
  return one->command;
}

}  // namespace

Status add_command(Session& session, Json& object, RunId id, int attempt) {
  object["command"] = nullptr;
  const std::string path = "/v1/runs/" + text(id);
  const auto run = session.get(path);
  if (!run) return run.error();
  const auto sweep = session.get("/v1/sweeps/" + text_at(*run, "/sweep"));
  if (!sweep) return sweep.error();
  const auto spec = decode_recorded<SweepSpec>(member(*sweep, "/spec"));
  if (!spec) return spec.error();
  if (std::holds_alternative<AskTrainer>(spec->trainer)) return Done{};
  if (const auto* builtin = std::get_if<BuiltinTrainer>(&spec->trainer)) {
    object["command"] = {"hone-train", builtin->name};
    return Done{};
  }
  const auto attempts = session.list(path + "/attempts");
  if (!attempts) return attempts.error();
  auto grant = grant_of(session, *spec, *run, id);
  if (!grant) return grant.error();
  grant->attempt = {id, attempt == 0 ? static_cast<int>(attempts->size()) : attempt};
  const CommandTrainer& command =
      command_of(*spec, step_of_attempt(*spec, *attempts, attempt), *grant);
  const bool resumed =
      grant->attempt.number >= 1 && std::cmp_less_equal(grant->attempt.number, attempts->size()) &&
      !member((*attempts)[static_cast<std::size_t>(grant->attempt.number) - 1], "/resume")
           .is_null();
  const auto filled =
      filled_command(command, *grant,
                     {"${hone.folder}", "${hone.work}", "${hone.params_file}", "${hone.run_file}",
                      resumed ? "${hone.resume}" : "", "${hone.checkpoints}"});
  if (filled && filled->seed != grant->seed) object["seed_passed"] = filled->seed;
  if (!filled) return Done{};  // the worker could not fill it either: `detail` names the reason
  object["command"] = with_interpreter(filled->argv, command);
  for (const EnvVar& one : filled->env) object["env"][one.name] = one.value;
  if (!filled->prepare.empty()) object["prepare"] = with_interpreter(filled->prepare, command);
  return Done{};
}

std::string command_text(const Json& object, const Screen& screen) {
  const Json& command = member(object, "/command");
  if (!command.is_array()) return {};
  std::string text = paint(screen, Ink::bold, "command") + "\n";
  const Json& env = member(object, "/env");
  if (const Json& prepare = member(object, "/prepare"); prepare.is_array())
    text += line_of(prepare, env);
  return text + line_of(command, env);
}

}  // namespace hone::cli
