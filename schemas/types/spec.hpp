// What a user submits, decoded and with every default filled in (ARCHITECTURE.md, "The sweep
// file").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "schemas/types/ids.hpp"
#include "schemas/types/instant.hpp"
#include "schemas/types/score.hpp"
#include "schemas/types/space.hpp"

namespace hone {

struct Objective {
  std::string metric;
  Goal goal = Goal::maximize;
  friend bool operator==(const Objective&, const Objective&) = default;
};

// A trainer of hone-train. `settings` are the fixed ones of the sweep file (env, envs, mode, ...);
// the trial's params come on top. worker/train/settings/trainers.hpp says what each accepts.
struct BuiltinTrainer {
  std::string name;
  Params settings;
  friend bool operator==(const BuiltinTrainer&, const BuiltinTrainer&) = default;
};

// How a command receives the parameters that none of its words names: not at all, "--name value",
// "--name=value", "name=value", the path of a JSON file, HONE_PARAM_NAME in the environment.
enum class ParamStyle { none, flags, flags_equals, key_value, json, env };

// Where a command runs: in the worker's working folder, in a new empty folder, or in a copy of the
// worker's.
enum class WorkFolder { shared, fresh, copy };

// tensorboard: event files. Their columns are the tags of their scalars; each has its step.
enum class CollectFormat { csv, jsonl, regex, tensorboard };

// How the last rows of a column become one value.
enum class Summary { last, mean, median, max, min };

// Where the objective of an unchanged program is read from: rows of named columns.
struct CollectSpec {
  // In the run's own folder; empty: its standard output. tensorboard: a folder of event files.
  std::string file;
  CollectFormat format = CollectFormat::csv;
  std::vector<std::string> patterns{};    // regex: named groups are the columns
  std::vector<std::string> columns{};     // csv; empty: its first line names them
  std::vector<std::string> objectives{};  // a column for each objective of the sweep, in order
  std::string step{};                     // a column; empty: the rows are counted
  bool step_sum = false;                  // that column's values are added up
  std::vector<std::string> metrics{};     // further columns to log
  int window = 1;                         // rows that one value is made of; 0: those of its phase
  Summary summary = Summary::mean;
  friend bool operator==(const CollectSpec&, const CollectSpec&) = default;
};

struct EnvVar {
  std::string name;
  std::string value;
  friend bool operator==(const EnvVar&, const EnvVar&) = default;
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
  friend bool operator==(const CommandTrainer&, const CommandTrainer&) = default;
};

// No worker: the client that asks for a trial evaluates it (`hone ask`, `hone tell`).
struct AskTrainer {
  friend bool operator==(const AskTrainer&, const AskTrainer&) = default;
};

struct ResourcesSpec {
  int cpus = 1;
  int gpus = 0;
  friend bool operator==(const ResourcesSpec&, const ResourcesSpec&) = default;
};

// One command of a pipeline: a stretch of a run that leases cover, never together with another
// step.
struct StepSpec {
  std::string name;  // also the folder of its files where a later step gets them
  CommandTrainer command;
  std::optional<ResourcesSpec> resources{};  // unset: those of the sweep
  std::optional<int> retries{};  // after a failure of any class; unset: limits.max_retries
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

struct SearchSpec {
  std::string method = "random";       // a row of server/search/samplers/table.cpp
  std::int64_t trials = 0;             // parameter sets to try, 1..limits
  Params settings{};                   // of the method, by name, in file order
  std::vector<SweepId> warm_start{};   // earlier sweeps whose trials the sampler learns from
  std::vector<std::string> command{};  // external: the user's own picker
  std::vector<double> perturb{};       // pbt: factors of which one multiplies a number
  friend bool operator==(const SearchSpec&, const SearchSpec&) = default;
};

struct TerminatorSpec {
  std::string rule = "none";  // a row of server/search/terminators/table.cpp
  // Settings of the rule by name, in file order: hypertrick has eviction_rate, dcm_fraction,
  // evict_quantile.
  std::vector<std::pair<std::string, double>> settings;
  friend bool operator==(const TerminatorSpec&, const TerminatorSpec&) = default;
};

struct BudgetSpec {
  std::string unit = "frames";
  std::int64_t per_run = 0;  // units one complete run trains for
  int phases = 1;            // equal slices of it, each ended by a report
  friend bool operator==(const BudgetSpec&, const BudgetSpec&) = default;
};

struct LimitsSpec {
  std::optional<Duration> duration;  // of the whole sweep, from submission
  int max_retries = 3;  // further attempts a run gets after its worker or process was lost
  std::optional<Duration> run{};     // of one run, over all its attempts
  std::optional<Duration> phase{};   // of a run without a report or a checkpoint: it hangs
  std::optional<int> concurrency{};  // runs of the sweep at a time
  // Runs that may fail before the sweep ends as failed; below 1: as a share of all of its first
  // runs. Unset: the sweep ends when its trials fail in a row (server/sweep/failures.hpp).
  std::optional<double> max_failed{};
  friend bool operator==(const LimitsSpec&, const LimitsSpec&) = default;
};

// Which checkpoints of a run stay once it is over: that of its best report
// (server/sweep/retention.hpp) or all of them.
enum class Keep { best, all };

struct CheckpointsSpec {
  Keep keep = Keep::best;
  friend bool operator==(const CheckpointsSpec&, const CheckpointsSpec&) = default;
};

// How the values of a trial's runs become one. lcb: the mean less its standard error, so that a set
// must be good and sure of it.
enum class Aggregate { mean, median, iqm, lcb };

// How values of different problems are made comparable: by worst and best where those are given, or
// by where they rank among what all trials reached on the same problem.
enum class Normalize { references, ranks };

// The same parameter set on several problems: every seed trains once on each. This parameter
// selects it. With references a value counts as (value - worst) / (best - worst) of its problem.
struct InstancesSpec {
  std::string parameter;
  std::vector<Value> values;
  std::vector<double> worst{};  // as many as values, or none: values count as they are
  std::vector<double> best{};
  Normalize normalize = Normalize::references;  // ranks: without worst and best
  friend bool operator==(const InstancesSpec&, const InstancesSpec&) = default;
};

// What makes a trial of several runs, in addition to SweepSpec::seeds.
struct ReplicatesSpec {
  int max = 0;  // seeds that a contender may get; 0: no more than SweepSpec::seeds
  Aggregate aggregate = Aggregate::mean;
  bool race = false;  // add seeds to contenders, stop what is significantly worse
  std::optional<InstancesSpec> instances{};
  friend bool operator==(const ReplicatesSpec&, const ReplicatesSpec&) = default;
};

// The leaders are trained again, on seeds that tuning never used.
struct ConfirmSpec {
  int top = 3;
  int seeds = 10;
  friend bool operator==(const ConfirmSpec&, const ConfirmSpec&) = default;
};

// What a data set is for: runs learn from the first, and are measured on the second.
enum class DatasetRole { train, validation };

// Data that the user's program reads. hone records it and does not open it.
struct DatasetSpec {
  std::string name;
  DatasetRole role = DatasetRole::train;
  std::string version{};
  std::string digest{};    // SHA-256, where it is known
  std::string location{};  // host:/path, or an address
  friend bool operator==(const DatasetSpec&, const DatasetSpec&) = default;
};

struct SweepSpec {
  std::string name;
  std::string project = "default";
  std::uint64_t seed = 0;
  Objective objective;                        // what terminators judge by
  std::vector<Objective> further_objectives;  // traded off against it; empty for one objective
  TrainerSpec trainer;
  std::vector<std::string> evaluate{};  // the words of a command that measures a saved model
  Space parameters;
  std::vector<std::string> constraints;  // conditions that every parameter set must satisfy
  SearchSpec search;
  TerminatorSpec terminator;
  BudgetSpec budget;
  int seeds = 1;  // replicates.seeds: runs of every trial, which differ by seed
  ResourcesSpec resources;
  LimitsSpec limits;
  CheckpointsSpec checkpoints{};
  std::vector<DatasetSpec> datasets{};
  ReplicatesSpec replicates{};
  std::optional<ConfirmSpec> confirm{};  // once the sweep is completed
  SweepId confirms{};  // this sweep confirms that one; its seeds are drawn from another stream
  friend bool operator==(const SweepSpec&, const SweepSpec&) = default;
};

// A population of runs that continue from each other's checkpoints: the search method and the
// terminator of this name belong together.
inline constexpr const char* population_method = "pbt";
inline bool is_population(const SweepSpec& spec) { return spec.search.method == population_method; }

// The step of a pipeline, null where there is none: a sweep without steps has no step 0.
const StepSpec* step_of(const SweepSpec& spec, int step);
// Steps of every run: 1 without a pipeline.
int steps_of(const SweepSpec& spec);
// What a lease of this step holds.
ResourcesSpec resources_of(const SweepSpec& spec, int step);
// The budget of a step that begins after so many reports: it ends with the step's phases.
BudgetSpec budget_of(const SweepSpec& spec, int step, int reported);
// What a worker needs for every step.
ResourcesSpec most_resources(const SweepSpec& spec);
// Whether the step gets the files of an earlier one.
bool needs(const StepSpec& step, const std::string& earlier);

// Runs that every trial starts with, and the most it may get: each seed on each instance.
inline int instances_of(const SweepSpec& spec) {
  return spec.replicates.instances ? static_cast<int>(spec.replicates.instances->values.size()) : 1;
}
inline bool by_ranks(const SweepSpec& spec) {
  return spec.replicates.instances && spec.replicates.instances->normalize == Normalize::ranks;
}
// Whether values count on the sweep's own scale, on which more is better under either goal.
inline bool rescaled(const SweepSpec& spec) {
  return by_ranks(spec) || (spec.replicates.instances && !spec.replicates.instances->worst.empty());
}
inline int first_runs(const SweepSpec& spec) { return spec.seeds * instances_of(spec); }
inline int most_runs(const SweepSpec& spec) {
  return (spec.replicates.max > spec.seeds ? spec.replicates.max : spec.seeds) * instances_of(spec);
}

}  // namespace hone
