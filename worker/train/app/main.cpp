// hone-train: the built-in trainers, one process for each run. A worker starts `hone-train NAME`
// with HONE_RUN_FILE set; users may train and evaluate without a server.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <map>
#include <sstream>

#include "base/process.hpp"
#include "worker/train/app/backends_command.hpp"
#include "worker/train/app/commands.hpp"
#include "worker/train/app/measure_command.hpp"
#include "worker/train/app/settings_command.hpp"
#include "worker/train/run/host.hpp"

namespace hone::trainers {
namespace {

constexpr int exit_usage = 2;
constexpr int exit_not_found = 3;

struct Flags {
  TrainCommand train;
  EvaluationPlan evaluation;
  bool shows_settings = false;
  bool measures = false;
  MeasurePlan measure;
  std::string count;
  std::string save_every;
  std::string format = "text";
  std::vector<int> serve;                    // descriptors, see TrainerRow::serve
  std::map<std::string, std::string> named;  // settings that are given as options
};

std::string footer(const TrainerInfo& info, bool measures) {
  const auto long_run = "  hone-train " + std::string(info.name) + " --" + std::string(info.unit) +
                        " " + std::string(info.budget);
  const auto& setting = info.settings.size() > 1 ? info.settings[1] : info.settings.front();
  std::ostringstream text;
  text << settings_help(info) << "\nexamples:\n"
       << long_run << " --seed 1 --out model.safetensors\n"
       << long_run << " --set " << setting.name << "=" << setting.fallback << "\n"
       << "  hone-train " << info.name << " --evaluate model.safetensors "
       << (info.unit == "episodes" ? "--plays" : "--episodes") << " 100\n";
  if (measures)
    text << "  hone-train " << info.name << " --graph resnet-50 --devices 2 --measure\n"
         << "  hone-train " << info.name << " --devices 2 --measure --evaluate found.json\n";
  return text.str();
}

void add_measuring(CLI::App& sub, Flags& flags) {
  auto* measure =
      sub.add_flag("--measure", flags.measures,
                   "run placements on this machine with libtorch and compare with the simulator");
  sub.add_option("--measure-rounds", flags.measure.rounds, "rounds through all placements [3]")
      ->check(CLI::Range(1, 10'000))
      ->needs(measure);
  sub.add_option("--measure-steps", flags.measure.steps,
                 "steps of each placement in a round, the first discarded [5]")
      ->check(CLI::Range(2, 10'000))
      ->needs(measure);
  sub.add_option("--measure-random", flags.measure.random, "random placements to include [12]")
      ->check(CLI::Range(0, 10'000))
      ->needs(measure);
  sub.add_option("--measure-ms", flags.measure.step_ms,
                 "scale the graph down until a step on one device takes about this long [100]")
      ->check(CLI::Range(1.0, 1e6))
      ->needs(measure);
}

void add_inviting(CLI::App& sub, Flags& flags) {
  auto* hosts =
      sub.add_option("--hosts", flags.train.invitation.file,
                     "let `hone-relay join FILE` play on other hosts; writes the file for it");
  sub.add_option("--address", flags.train.invitation.address,
                 "name or IP address by which they reach this host [its name]")
      ->needs(hosts);
}

// The number of this task in a job of Slurm or MPI; 0 outside of them.
int task_number() {
  for (const char* name : {"SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK"})
    if (const char* text = std::getenv(name)) return std::atoi(text);
  return 0;
}

// Becomes hone-relay, which is in the folder of this program: another task of the job trains.
Result<int> join_as_actor(const std::filesystem::path& rendezvous) {
  const auto here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  return exec_program((here / "hone-relay").string(), {"hone-relay", "join", rendezvous.string()});
}

CLI::App* add_trainer(CLI::App& app, const TrainerRow& row, Flags& flags) {
  const TrainerInfo& info = *find_trainer(row.name);
  auto* sub = app.add_subcommand(std::string(info.name), std::string(info.summary));
  if (find_setting(info, "env") != nullptr)
    sub->add_option("--env", flags.train.env, "environment to learn or to play");
  sub->add_option("--" + std::string(info.unit), flags.count,
                  "how long to train: 5000, 200k, 1M [" + std::string(info.budget) + "]");
  sub->add_option("--seed", flags.train.seed, "seed of all random numbers [1]");
  sub->add_option("--set", flags.train.settings, "a setting, name=value (repeatable)")
      ->allow_extra_args(false);
  sub->add_flag("--settings", flags.shows_settings,
                "check the settings, print the values that they get, and exit");
  auto* out = sub->add_option("--out", flags.train.out, "file to save the model to");
  sub->add_option("--save-every", flags.save_every, "also save every so many units: 100k, 1M")
      ->needs(out);
  sub->add_option("--resume", flags.train.from, "continue from this model");
  auto* evaluate = sub->add_option("--evaluate", flags.evaluation.model,
                                   "evaluate this model instead of training");
  // Where --episodes is the budget, the option is called --plays.
  const bool taken = info.unit == "episodes";
  sub->add_option(taken ? "--plays" : "--episodes", flags.evaluation.episodes,
                  "episodes to play [100]")
      ->check(CLI::Range(1, 100'000))
      ->needs(evaluate);
  sub->add_flag("--sample", flags.evaluation.sample,
                "draw actions from the policy instead of taking the most probable")
      ->needs(evaluate);
  if (row.measures) add_measuring(*sub, flags);
  if (row.invites) add_inviting(*sub, flags);
  if (row.serve != nullptr) sub->add_option("--serve", flags.serve)->expected(2)->group("");
  // Every other setting as an option: --graph resnet-50 for --set graph=resnet-50.
  for (const auto& setting : info.settings) {
    std::string name(setting.name);
    std::replace(name.begin(), name.end(), '_', '-');
    if (sub->get_option_no_throw("--" + name) != nullptr) continue;
    sub->add_option("--" + name, flags.named[std::string(setting.name)])->group("");
  }
  sub->add_option("--format", flags.format,
                  "text, json, or of an evaluation jsonl: its progress, then its result [text]")
      ->check(CLI::IsMember({"text", "json", "jsonl"}));
  sub->footer(footer(info, row.measures));
  return sub;
}

Result<int> show_settings(const TrainerRow& row, const TrainCommand& command, bool json) {
  const auto settings = settings_of(*find_trainer(row.name), command);
  if (!settings) return settings.error();
  std::cout << (json ? settings_document(*settings) + "\n" : settings_text(*settings));
  return 0;
}

Result<int> run_alone(const TrainerRow& row, Flags& flags) {
  if (!flags.serve.empty()) {
    auto served = row.serve(flags.serve[0], flags.serve[1]);
    if (!served) return std::move(served).error();
    return 0;
  }
  if (const auto& rendezvous = flags.train.invitation.file;
      !rendezvous.empty() && task_number() > 0)
    return join_as_actor(rendezvous);
  const bool json = flags.format != "text";
  if (!flags.evaluation.model.empty() && !flags.measures) {
    flags.evaluation.env = flags.train.env;
    flags.evaluation.seed = flags.train.seed;
    const auto lines = flags.format == "jsonl" ? EvaluationFormat::jsonl : EvaluationFormat::json;
    return evaluate(row, flags.evaluation, json ? lines : EvaluationFormat::text);
  }
  for (const auto& [name, value] : flags.named)
    if (!value.empty()) flags.train.settings.push_back(name + "=" + value);
  if (flags.shows_settings) return show_settings(row, flags.train, json);
  if (flags.format == "jsonl")
    return refuse(Code::invalid, "--format jsonl is for --evaluate; a training has text and json");
  const auto budget =
      parse_count(flags.count.empty() ? std::string(find_trainer(row.name)->budget) : flags.count);
  if (!budget) return budget.error();
  flags.train.budget = *budget;
  if (!flags.save_every.empty()) {
    const auto every = parse_count(flags.save_every);
    if (!every) return every.error();
    flags.train.save_every = *every;
  }
  flags.train.json = json;
  if (!flags.measures) return train_alone(row, flags.train);
  flags.measure.model = flags.evaluation.model;
  return measure(row, flags.train, flags.measure);
}

int run(int argc, char** argv) {
  CLI::App app(
      "Train reinforcement-learning agents; `hone-train NAME --help` lists a trainer's settings.",
      "hone-train");
  app.set_version_flag("--version", HONE_VERSION);
  app.add_flag_callback(
      "--backends", [] { std::cout << backends_text(), throw CLI::Success(); },
      "List the backends that work on this machine, and exit");
  app.require_subcommand(1);
  Flags flags;
  for (const auto& row : trainer_table()) add_trainer(app, row, flags);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& outcome) {
    return app.exit(outcome) == 0 ? 0 : exit_usage;
  }
  const auto* chosen = app.get_subcommands().front();
  const auto& row = *find_trainer_row(chosen->get_name());
  const char* run_file = std::getenv("HONE_RUN_FILE");
  const bool for_worker = run_file != nullptr && argc == 2;
  const auto status = for_worker ? run_for_worker(row, run_file) : run_alone(row, flags);
  if (status) return *status;
  std::cerr << "hone-train: " << status.error().detail << "\n";
  if (for_worker) return 1;
  return status.error().code == Code::not_found ? exit_not_found : exit_usage;
}

}  // namespace
}  // namespace hone::trainers

int main(int argc, char** argv) {
  hone::trainers::tune_process();
  int status = 1;
  try {
    status = hone::trainers::run(argc, argv);
  } catch (const std::exception& fault) {
    std::cerr << "hone-train: " << fault.what() << "\n";
  }
  // Skips the destructors of libtorch, which take a tenth of a second; all files are closed.
  std::cout.flush();
  std::fflush(nullptr);
  std::_Exit(status);
}
