// What a sweep trains with: a trainer of hone-train, any program, a pipeline of programs, or the
// client itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "schemas/types/budget_spec.hpp"
#include "schemas/types/value.hpp"

namespace hone {

// A trainer of hone-train. `settings` are the fixed ones of the sweep file (env, envs, mode, ...);
// the trial's params come on top. schemas/trainers/trainers.hpp says what each accepts.
struct BuiltinTrainer {
  std::string name;
  Params settings;
  friend bool operator==(const BuiltinTrainer&, const BuiltinTrainer&) = default;
};

// How a command receives the parameters that none of its words names: not at all, "--name value",
// "--name=value", "name=value", the path of a JSON file, HONE_PARAM_NAME in the environment, or as
// argparse reads them: "--name=value", "--name item item" for a list, nothing for null, and for
// truth values "--name" or nothing (switches), "--name" or "--no-name" (pairs).
enum class ParamStyle { none, flags, flags_equals, key_value, json, env, switches, pairs };

// Where a command runs: in the worker's working folder, in a new empty folder, or in a copy of the
// worker's.
enum class WorkFolder { shared, fresh, copy };

// tensorboard: event files. Their columns are the tags of their scalars; each has its step.
enum class CollectFormat { csv, jsonl, regex, tensorboard };

// How the last rows of a column become one value.
enum class Summary { last, mean, median, max, min };

// Whose lines are rows, where no file is named.
enum class CollectStream { output, errors, both };

// What NaN in an objective means: a diverged run, or no value.
enum class NanRule { diverged, skip };

// Where the objective of an unchanged program is read from: rows of named columns.
struct CollectSpec {
  // In the run's own folder; empty: `stream`. tensorboard: a folder of event files.
  std::string file;
  CollectFormat format = CollectFormat::csv;
  std::vector<std::string> patterns{};    // regex: named groups are the columns
  std::vector<std::string> columns{};     // csv; empty: its first line names them
  std::vector<std::string> objectives{};  // a column for each objective of the sweep, in order
  std::string step{};                     // a column; empty: the rows are counted
  bool step_sum = false;                  // that column's values are added up
  bool step_restarts = false;             // that column counts from the start of each attempt
  std::vector<std::string> metrics{};     // further columns to log
  int window = 1;                         // rows that one value is made of; 0: those of its phase
  Summary summary = Summary::mean;
  CollectStream stream = CollectStream::output;
  std::optional<NanRule> nan{};  // unset: no value before the first number, diverged after it
  friend bool operator==(const CollectSpec&, const CollectSpec&) = default;
};

struct EnvVar {
  std::string name;
  std::string value;
  friend bool operator==(const EnvVar&, const EnvVar&) = default;
};

// Where and with what the user who submitted a command would run it. A worker uses each where it
// exists there. Empty: it was not recorded.
struct SubmitterPlace {
  std::string folder{};
  std::string python{};  // of the active virtual environment, or the first on the PATH
  friend bool operator==(const SubmitterPlace&, const SubmitterPlace&) = default;
};

// The tracked files of the submitter's folder with its uncommitted changes, as a blob
// (sdk/cpp/code_snapshot.hpp). Without a digest it is wanted, and the client has to take it.
struct CodeSnapshot {
  std::string sha256{};
  std::int64_t bytes = 0;
  friend bool operator==(const CodeSnapshot&, const CodeSnapshot&) = default;
};

// Any program of the user's. Each "${name}" in a word of it is replaced by the parameter's value
// (schemas/types/command_words.hpp); no shell is involved.
struct CommandTrainer {
  std::vector<std::string> argv;
  ParamStyle params = ParamStyle::none;
  std::vector<EnvVar> env{};
  WorkFolder folder = WorkFolder::shared;
  std::vector<std::string> prepare{};  // another command, which must succeed before
  std::optional<CollectSpec> collect{};
  std::vector<std::string> artifacts{};  // patterns of files in the run's own folder to keep
  std::int64_t disk = 0;  // bytes that the run's own folder may hold; 0: the worker's bound
  std::vector<std::string> may_change{};  // parameters that a run may resume with other values of
  // Absolute. Needed on the worker, unlike those of `submitter`: the folder in place of the
  // worker's, and the interpreter of `python3` in the words, with its environment.
  std::string cwd{};
  std::string python{};
  SubmitterPlace submitter{};
  std::optional<CodeSnapshot> code{};  // the folder in place of all others
  // ${hone.seed} is below 2^31, as programs take seeds; false in sweeps of earlier versions.
  bool short_seeds = false;
  friend bool operator==(const CommandTrainer&, const CommandTrainer&) = default;
};

// No worker: the client that asks for a trial evaluates it (`hone ask`, `hone tell`).
struct AskTrainer {
  friend bool operator==(const AskTrainer&, const AskTrainer&) = default;
};

// One command of a pipeline: a stretch of a run that leases cover, never together with another
// step.
struct StepSpec {
  std::string name;  // also the folder of its files where a later step gets them
  CommandTrainer command;
  std::optional<ResourcesSpec> resources{};  // unset: those of the sweep
  std::optional<int> retries{};  // not after infeasible or diverged; unset: as the sweep
  std::optional<std::vector<std::string>> needs{};  // whose files it gets; unset: all earlier steps
  std::optional<int> phases{};  // of the budget, that it reports; unset: all that are left
  friend bool operator==(const StepSpec&, const StepSpec&) = default;
};

// Commands that every run executes one after another.
struct PipelineTrainer {
  std::vector<StepSpec> steps;
  friend bool operator==(const PipelineTrainer&, const PipelineTrainer&) = default;
};

using TrainerSpec = std::variant<BuiltinTrainer, CommandTrainer, AskTrainer, PipelineTrainer>;

}  // namespace hone
