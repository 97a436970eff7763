#include "sdk/cli/commands/start/init_texts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>

#include "schemas/codec/json.hpp"
#include "sdk/cli/session/input.hpp"

namespace hone::cli {
namespace {

// Flags that say where and how long, not how: they keep their values.
constexpr std::array not_searched{
    std::string_view("seed"),         std::string_view("epochs"),
    std::string_view("steps"),        std::string_view("episodes"),
    std::string_view("iterations"),   std::string_view("timesteps"),
    std::string_view("num_steps"),    std::string_view("total_timesteps"),
    std::string_view("workers"),      std::string_view("num_workers"),
    std::string_view("threads"),      std::string_view("gpu"),
    std::string_view("gpus"),         std::string_view("port"),
    std::string_view("log_interval"), std::string_view("save_interval"),
    std::string_view("verbose")};

struct KnownMetric {
  std::string_view name;
  std::string_view goal;
};

// The first that a program names is taken for its objective.
constexpr std::array known_metrics{
    KnownMetric{"val_loss", "minimize"},    KnownMetric{"val_acc", "maximize"},
    KnownMetric{"eval_return", "maximize"}, KnownMetric{"mean_reward", "maximize"},
    KnownMetric{"return", "maximize"},      KnownMetric{"reward", "maximize"},
    KnownMetric{"score", "maximize"},       KnownMetric{"accuracy", "maximize"},
    KnownMetric{"loss", "minimize"},        KnownMetric{"error", "minimize"}};

std::string yaml_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  std::string result = text;
  // YAML readers take 1e-05 without a point for a text.
  if (const auto e = result.find('e');
      e != std::string::npos && result.find('.') == std::string::npos)
    result.insert(e, ".0");
  return result;
}

std::string float_entry(double given) {
  const auto range = [](double low, double high, const char* scale) {
    return "{type: float, min: " + yaml_number(low) + ", max: " + yaml_number(high) +
           (*scale != 0 ? std::string(", scale: ") + scale : "") + "}";
  };
  if (given <= 0) return range(given - 1, given + 1, "");
  // Close to 1, as a discount or a momentum: even on the distance from 1.
  if (given >= 0.8 && given < 1)
    return range(1 - std::min(10 * (1 - given), 0.5), 1 - (1 - given) / 10, "logit");
  if (given < 0.1 || given >= 10) return range(given / 10, given * 10, "log");
  return range(given / 4, given < 1 ? std::min(1.0, given * 4) : given * 4, "log");
}

std::string int_entry(double given) {
  if (given < 1) return "{type: int, min: 0, max: 10}";
  return "{type: int, min: " + yaml_number(std::max(1.0, std::floor(given / 4))) +
         ", max: " + yaml_number(std::max(2.0, given * 4)) + (given >= 8 ? ", scale: log}" : "}");
}

std::string choice_entry(const std::vector<std::string>& choices) {
  Json values = Json::array();
  for (const std::string& one : choices) {
    const auto text = unquoted(one);
    const auto number = parse_number(one);
    if (!text && !number) return {};
    const auto json = parse_json(one);  // keeps ints
    values.push_back(text ? Json(*text) : json ? *json : Json(*number));
  }
  return values.size() < 2 ? "" : "{type: choice, values: " + to_text(values) + "}";
}

bool stays(const ScriptFlag& flag) {
  const std::string name = flag_name(flag);
  return std::find(not_searched.begin(), not_searched.end(), name) != not_searched.end();
}

// Empty if the flag has nothing to search.
std::string entry_of(const ScriptFlag& flag) {
  if (stays(flag) || !flag.action.empty()) return {};
  if (!flag.choices.empty()) return choice_entry(flag.choices);
  const auto number = flag.given ? parse_number(*flag.given) : std::nullopt;
  if (!number) return {};
  if (flag.type == "int") return int_entry(*number);
  return flag.type == "float" ? float_entry(*number) : "";
}

const KnownMetric* metric_in(const std::string& program) {
  const std::string texts = quoted_texts(program);  // `return` is a word of Python, too
  for (const KnownMetric& metric : known_metrics)
    if (texts.find(metric.name) != std::string::npos) return &metric;
  return nullptr;
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
options = parser.parse_args()

loss = 1.0
for epoch in range(20):
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
terminator: {rule: hone, version: 2}      # pauses runs; the promising ones continue
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

}  // namespace

std::vector<std::string> script_parameters(const std::vector<ScriptFlag>& flags) {
  std::vector<std::string> lines;
  for (const ScriptFlag& flag : flags)
    if (const std::string entry = entry_of(flag); !entry.empty())
      lines.push_back("  " + flag_name(flag) + ": " + entry +
                      (flag.given ? "  # default " + *flag.given : "") + "\n");
  return lines;
}

std::string script_sweep(const std::string& path, const std::string& program,
                         const std::vector<ScriptFlag>& flags) {
  Json words = {"python3", path};
  std::string fixed;
  for (const ScriptFlag& flag : flags) {
    if (flag_name(flag) == "seed") {
      words.push_back(flag.option);
      words.push_back("${hone.seed}");
    } else if (!entry_of(flag).empty()) {
      words.push_back(flag.option);
      words.push_back("${" + flag_name(flag) + "}");
    } else {
      fixed += (fixed.empty() ? "" : ", ") + flag.option;
    }
  }
  const KnownMetric* metric = metric_in(program);
  const std::string name(metric == nullptr ? "value" : metric->name);
  const std::string goal(metric == nullptr ? "maximize" : metric->goal);
  std::string text = "# Tunes " + path +
                     ".      hone submit sweep.yaml --watch      (hone up in another terminal, in "
                     "this folder)\nname: " +
                     to_text(std::filesystem::path(path).stem().string()) +
                     "\nobjective: {metric: " + name + ", goal: " + goal +
                     "}  # check the name and the goal\ncommand:\n  run: " + to_text(words) + "\n";
  if (!reports_itself(program))
    text += "  # Its results are read from what it prints, as \"" + name +
            ": 0.5\"; docs/commands.md has files, CSV and JSON.\n"
            "  collect:\n    stdout: true\n    format: regex\n    pattern: '" +
            name + "[ =:]+(?<" + name + ">[-+.eE\\d]+)'\n";
  text += "parameters:  # check the ranges: they are guesses around the defaults\n";
  for (const std::string& line : script_parameters(flags)) text += line;
  if (!fixed.empty()) text += "# not searched: " + fixed + "\n";
  return text +
         "search:     {method: hone, trials: 30}  # parameter sets to try\n"
         "terminator: {rule: none}                # every run trains to its end, with one report\n"
         "# To stop poor runs early, let per_run be the rows that a complete run prints, and "
         "write\n# terminator: {rule: hypertrick} and phases: 10.\n"
         "budget:     {unit: rows, per_run: 1M, phases: 1}\n";
}

std::vector<InitFile> init_files(const std::string& kind) {
  if (kind == "command")
    return {
        {"train.py", command_program},
        {"sweep.yaml", script_sweep("train.py", command_program, scan_argparse(command_program))}};
  if (kind == "sb3") return {{"train_sb3.py", sb3_program}, {"sweep.yaml", sb3_sweep}};
  if (kind == "ga3c") return {{"sweep.yaml", ga3c_sweep}};
  if (kind == "python") return {{"tune.py", python_program}};
  return {};
}

}  // namespace hone::cli
