#include "sdk/cli/commands/start/init_texts.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/ascii.hpp"
#include "base/shell.hpp"
#include "schemas/codec/json.hpp"
#include "sdk/cli/commands/start/init_ranges.hpp"
#include "sdk/cli/local/python_text.hpp"
#include "sdk/cli/render/width.hpp"

namespace hone::cli {
namespace {

struct KnownMetric {
  std::string_view name;
  std::string_view goal;
};

// The first that a program names is taken for its objective.
constexpr std::array known_metrics{KnownMetric{"episodic_return", "maximize"},
                                   KnownMetric{"ep_rew_mean", "maximize"},
                                   KnownMetric{"episode_return", "maximize"},
                                   KnownMetric{"episode_reward", "maximize"},
                                   KnownMetric{"avg_return", "maximize"},
                                   KnownMetric{"test_reward", "maximize"},
                                   KnownMetric{"val_loss", "minimize"},
                                   KnownMetric{"val_acc", "maximize"},
                                   KnownMetric{"eval_return", "maximize"},
                                   KnownMetric{"mean_reward", "maximize"},
                                   KnownMetric{"return", "maximize"},
                                   KnownMetric{"reward", "maximize"},
                                   KnownMetric{"score", "maximize"},
                                   KnownMetric{"accuracy", "maximize"},
                                   KnownMetric{"top1", "maximize"},
                                   KnownMetric{"loss", "minimize"},
                                   KnownMetric{"error", "minimize"},
                                   KnownMetric{"Return", "maximize"},
                                   KnownMetric{"Reward", "maximize"},
                                   KnownMetric{"Accuracy", "maximize"},
                                   KnownMetric{"Loss", "minimize"}};

const KnownMetric* metric_in(const std::string& texts) {
  for (const KnownMetric& metric : known_metrics)
    if (texts.find(metric.name) != std::string::npos) return &metric;
  return nullptr;
}

// A quote in a quoted text of YAML.
std::string doubled(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '\'' ? "''" : std::string(1, c);
  return out;
}

bool reports_itself(const std::string& program) {
  return program.find("import hone") != std::string::npos ||
         program.find("@hone") != std::string::npos;
}

constexpr const char* command_program =
    R"(# An example: replace it by your program. The sweep file collects what it prints.
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.01)
parser.add_argument("--layers", type=int, default=2)
parser.add_argument("--epochs", type=int, default=20)
options = parser.parse_args()

loss = 1.0
for epoch in range(options.epochs):
    loss *= 1 - min(0.5, 10 * options.lr * options.layers * (0.2 - options.lr))
    print(f"epoch {epoch} loss {loss:.6f}", flush=True)
)";

constexpr const char* sb3_program =
    R"(# PPO of Stable-Baselines3: the run's seed, checkpoints, evaluation.
# pip install stable-baselines3
import gymnasium
from stable_baselines3 import PPO
from stable_baselines3.common.monitor import Monitor

import hone
import hone.sb3

run = hone.current(params={"learning_rate": 3e-4, "gamma": 0.99}, per_run=50_000, phases=5)
env, evaluation = (Monitor(gymnasium.make("CartPole-v1")) for _ in range(2))
model = hone.sb3.model(run, PPO, "MlpPolicy", env, learning_rate=run.params["learning_rate"],
                       gamma=run.params["gamma"])
hone.sb3.learn(run, model, episodes=20, eval_env=evaluation)
)";

constexpr const char* sb3_sweep =
    R"(# Tunes train_sb3.py.   hone submit sweep.yaml --watch
# `hone up` runs in another terminal, in this folder.
name: sb3
objective: {metric: return, goal: maximize}
command: ["python3", "train_sb3.py"]      # reports through hone's SDK for Python
parameters:
  learning_rate: {type: float, min: 1.0e-5, max: 1.0e-2, scale: log}
  gamma:         {type: choice, values: [0.95, 0.98, 0.99, 0.999], ordered: true}
search:     {method: hone, trials: 20}    # parameter sets to try
terminator: {rule: hone, version: 5}      # pauses runs; the promising ones continue
budget:     {unit: timesteps, per_run: 50k, phases: 5}  # a complete run, and its reports
)";

constexpr const char* ga3c_sweep =
    R"(# Tunes hone's GA3C.   hone submit sweep.yaml --watch   (hone up in another terminal)
name: ga3c
objective: {metric: return, goal: maximize}
trainer: {name: ga3c, env: CartPole-v1}   # hone train --help lists trainers and environments
parameters:
  learning_rate: {type: float, min: 1.0e-5, max: 1.0e-2, scale: log}
  t_max:         {type: int, min: 2, max: 100, scale: log}
  gamma:         {type: choice, values: [0.9, 0.95, 0.99, 0.995, 0.999], ordered: true}
search:     {method: hone, trials: 20}    # parameter sets to try
terminator: {rule: hypertrick, eviction_rate: 0.25}  # the share that ends at each phase
budget:     {unit: frames, per_run: 200k, phases: 10}  # a complete run, and its reports
)";

constexpr const char* python_program =
    R"(# Searches with a Python function:  python3 tune.py
# It uses the server of `hone up`, or starts one.
import hone

sweep = hone.Sweep(
    space={"lr": hone.Float(1e-4, 1e-1, log=True), "layers": hone.Int(1, 4)},
    objective="loss", goal="minimize", trials=20,
    phases=5, per_run=20, unit="epochs", terminator="hypertrick")


def train(run):
    loss = 1.0
    for phase in run.phases():            # train from phase.start to phase.end, then report
        for _ in range(phase.start, phase.end):
            rate = run.params["lr"] * run.params["layers"]
            loss *= 1 - min(0.5, 10 * rate * (0.2 - run.params["lr"]))
        run.report(phase, loss)


if __name__ == "__main__":
    best = sweep.run(train, workers=2)
    print(best["value"], best["params"])
)";

// Where the objective of a program is read from.
struct ResultSource {
  std::string metric = "value";
  std::string goal = "maximize";
  std::string collect{};   // the lines of `collect`; empty: it reports itself
  bool has_steps = false;  // each row has its place in the budget
};

struct StepName {
  std::string_view name;
  std::string_view units;
};
constexpr std::string_view interactions = "timesteps steps frames";
constexpr std::array step_names{
    StepName{"global_step", interactions}, StepName{"total_timesteps", interactions},
    StepName{"timesteps", interactions},   StepName{"steps", interactions},
    StepName{"step", interactions},        StepName{"frames", interactions},
    StepName{"frame", interactions},       StepName{"iteration", "iterations"},
    StepName{"iter", "iterations"},        StepName{"updates", "updates"},
    StepName{"update", "updates"},         StepName{"epoch", "epochs"},
    StepName{"Epoch", "epochs"},           StepName{"episode", "episodes"}};

// Whether the text behind a name prints a number: "step: {step}", "step=%d".
bool prints_number(std::string_view behind) {
  const auto at = behind.find_first_not_of(" =:|'\"");
  return at != std::string_view::npos && at > 0 && (behind[at] == '{' || behind[at] == '%');
}

// The name with which the program prints its place in the budget; empty if it prints none.
std::string step_name(const std::string& texts, const std::string& unit) {
  for (const StepName& one : step_names) {
    if (unit.empty() || one.units.find(unit) == std::string_view::npos) continue;
    for (auto at = texts.find(one.name); at != std::string::npos;
         at = texts.find(one.name, at + 1)) {
      const bool begins = at == 0 || !(is_letter_or_digit(texts[at - 1]) || texts[at - 1] == '_');
      if (begins && prints_number(std::string_view(texts).substr(at + one.name.size())))
        return std::string(one.name);
    }
  }
  return {};
}

// The tag of TensorBoard that has the metric: add_scalar("charts/episodic_return", ...).
std::string tag_of(std::string_view program, std::string_view metric) {
  std::string found;
  each_call(program, "add_scalar", [&](std::size_t at) {
    const auto parts = split_arguments(program, at);
    const auto tag = parts.empty() ? std::nullopt : unquoted(parts.front());
    if (found.empty() && tag && tag->find(metric) != std::string::npos) found = *tag;
  });
  return found;
}

// The texts that the program prints, not those of its helps.
std::string printed_texts(std::string_view program) {
  std::string texts;
  for (const char* call : {"print", "info", "write", "echo", "log", "warning"})
    each_call(program, call, [&](std::size_t at) {
      for (const std::string& part : split_arguments(program, at)) texts += quoted_texts(part);
    });
  return texts;
}

ResultSource source_of(const std::string& program, const std::string& unit) {
  ResultSource source;
  std::string texts = printed_texts(program);
  const KnownMetric* metric = metric_in(texts);
  const std::string all = quoted_texts(program);
  if (metric == nullptr) metric = metric_in(all);
  if (metric != nullptr) source.metric = metric->name, source.goal = metric->goal;
  if (reports_itself(program)) return source.has_steps = true, source;
  const std::string tag = tag_of(program, source.metric);
  if (metric_in(texts) == nullptr && !tag.empty()) {
    source.collect = "  collect: {file: runs, format: tensorboard, objective: " + tag +
                     "}  # of the event files in runs/\n  folder: copy\n";
    source.has_steps = true;
    return source;
  }
  const std::string step = step_name(texts, unit);
  source.has_steps = !step.empty() || unit == "epochs";
  source.collect = "  # Its results are read from what it prints, as \"" + source.metric +
                   ": 0.5\"; docs/commands.md has files, CSV and JSON.\n"
                   "  collect:\n    stdout: true\n    format: regex\n";
  const std::string value = source.metric + "[\"'\\]]*[ =:|]+(?<" + source.metric + ">[-+.eE\\d]+)";
  if (step.empty())
    source.collect += "    pattern: '" + doubled(value) + "'\n";
  else
    source.collect += "    pattern: ['" + doubled(step + "[\"'\\]]*[ =:|]+(?<step>\\d+)") + "', '" +
                      doubled(value) + "']\n    step: step\n";
  return source;
}

std::string budget_text(const FlagBudget& budget, const ResultSource& source) {
  constexpr std::int64_t phases_usual = 10;
  if (budget.flag == nullptr || !source.has_steps)
    return "terminator: {rule: none}                # every run trains to its end, one report\n"
           "# To stop poor runs early, let per_run be the rows that a complete run prints, and "
           "write\n# terminator: {rule: hypertrick} and phases: 10.\n"
           "budget:     {unit: rows, per_run: 1M, phases: 1}\n";
  return "terminator: {rule: hypertrick, eviction_rate: 0.25}  # its share ends at each phase\n"
         "budget:     {unit: " +
         budget.unit + ", per_run: " + std::to_string(budget.per_run) +
         ", phases: " + std::to_string(std::min(phases_usual, budget.per_run)) +
         "}  # a complete run, and its reports\n";
}

}  // namespace

namespace {

std::string default_of(const ScriptFlag& flag) {
  return printable(flag.given_text.empty() ? to_text(*flag.given) : flag.given_text);
}

}  // namespace

std::vector<std::string> script_parameters(const std::vector<ScriptFlag>& flags) {
  const FlagBudget budget = budget_of(flags);
  std::vector<std::string> lines;
  for (const ScriptFlag& flag : flags)
    if (role_of(flag, budget) == FlagRole::searched)
      lines.push_back("  " + flag.name + ": " + entry_of(flag) +
                      (flag.given ? "  # default " + default_of(flag) : "") + "\n");
  return lines;
}

std::string script_sweep(const ScriptSource& script, std::int64_t trials) {
  const FlagBudget budget = budget_of(script.flags);
  const ResultSource source = source_of(script.program, budget.unit);
  Json words = {"python3", script.path};
  std::string fixed, needed;
  const auto add = [](std::string& list, const std::string& item) {
    list += (list.empty() ? "" : ", ") + item;
  };
  for (const ScriptFlag& flag : script.flags) {
    const FlagRole role = role_of(flag, budget);
    if (role == FlagRole::kept || (role == FlagRole::budget && !source.has_steps)) {
      add(flag.required ? needed : fixed, flag.option);
      continue;
    }
    ScriptFlag passed = flag;
    if (role == FlagRole::seed) passed.name = "hone.seed";
    if (role == FlagRole::budget) passed.name = "hone.budget";
    for (const std::string& word : flag_words(passed)) words.push_back(word);
  }
  for (const std::string& one : script.needed) add(needed, one);
  std::string text = "# Tunes " + printable(script.path) + ".      hone submit " +
                     printable(shell_word(script.sweep_file)) +
                     " --watch      (hone up in another "
                     "terminal, in this folder)\nname: " +
                     to_text(std::filesystem::path(script.path).stem().string()) +
                     "\nobjective: {metric: " + source.metric + ", goal: " + source.goal +
                     "}  # check the name and the goal\ncommand:\n  run: " + to_text(words) + "\n" +
                     source.collect;
  if (!needed.empty()) text += "# The program needs more: add to run a value of " + needed + "\n";
  text += "parameters:  # check the ranges: they are guesses around the defaults\n";
  for (const std::string& line : script_parameters(script.flags)) text += line;
  for (const std::string& one : script.groups) add(fixed, printable(one));
  if (!fixed.empty()) text += "# not searched: " + fixed + "\n";
  return text + "search:     {method: hone, trials: " + std::to_string(trials) +
         "}  # parameter sets to try\n" + budget_text(budget, source);
}

std::vector<InitFile> init_files(const std::string& kind) {
  if (kind == "command")
    return {{"train.py", command_program},
            {"sweep.yaml",
             script_sweep({"train.py", command_program, scan_flags(command_program).flags},
                          usual_trials)}};
  if (kind == "sb3") return {{"train_sb3.py", sb3_program}, {"sweep.yaml", sb3_sweep}};
  if (kind == "ga3c") return {{"sweep.yaml", ga3c_sweep}};
  if (kind == "python") return {{"tune.py", python_program}};
  return {};
}

}  // namespace hone::cli
