#include "worker/train/app/commands.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/stop_signal.hpp"
#include "schemas/codec/json.hpp"
#include "schemas/trainers/check.hpp"
#include "schemas/trainers/presets.hpp"
#include "worker/train/app/settings_command.hpp"
#include "worker/train/run/phases.hpp"
#include "worker/train/run/progress.hpp"

namespace hone::trainers {
namespace {

Result<Params> params_of(const TrainerInfo& info, const TrainCommand& command) {
  Params params;
  if (!command.env.empty()) params.push_back({"env", command.env});
  for (const auto& text : command.settings) {
    auto param = parse_assignment(info, text);
    if (!param) return std::move(param).error();
    params.push_back(*std::move(param));
  }
  return params;
}

const char* environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Prints which values were chosen for the environment, and whether the trainer is known not to
// learn it, where a user sees it: on the terminal, or in the log.
void print_choice(const Settings& settings) {
  if (const auto text = preset_text(settings); !text.empty())
    std::cerr << "hone-train: " << text << "\n";
  const auto better = better_trainers(settings.trainer().name, fixed_text(settings.all(), "env"));
  if (!better.empty())
    std::cerr << "hone-train: " << settings.trainer().name << " was not seen to learn "
              << fixed_text(settings.all(), "env") << ": take " << better << "\n";
}

// A sweep that was submitted before it recorded a generation of presets has the first.
Params with_generation(const TrainerInfo& info, Params fixed, const Params& params) {
  const bool recorded = find(fixed, "presets") != nullptr || find(params, "presets") != nullptr;
  if (find_setting(info, "presets") != nullptr && !recorded)
    fixed.push_back({"presets", std::int64_t{1}});
  return fixed;
}

Result<std::unique_ptr<Trainer>> trainer_of(const TrainerRow& row, const RunFile& file) {
  const auto* info = find_trainer(row.name);
  const auto* builtin = std::get_if<BuiltinTrainer>(&file.trainer);
  if (info == nullptr || builtin == nullptr || builtin->name != row.name)
    return refuse(Code::invalid,
                  "the run file is not for the trainer '" + std::string(row.name) + "'",
                  "/trainer");
  auto settings =
      Settings::resolve(*info, with_generation(*info, builtin->settings, file.params), file.params);
  if (!settings) return std::move(settings).error();
  print_choice(*settings);
  return row.make({std::move(*settings), file.seed, file.budget.per_run});
}

struct Outcome {
  std::int64_t steps = 0;
  double seconds = 0;
  Score value = Score::diverged();
  std::optional<Solved> solved;
  std::vector<Fact> facts;
  std::vector<MetricPoint> metrics;  // of the whole training
  std::string_view preset{};         // that was applied
};

Json metrics_document(const std::vector<MetricPoint>& metrics) {
  Json document = Json::object();
  for (const auto& [name, value] : metrics) document[name] = value;
  return document;
}

Json solved_document(const std::optional<Solved>& solved, const std::string& unit) {
  if (!solved) return nullptr;
  return {{unit, solved->step}, {"cpu_s", solved->cpu_s}};
}

void print_outcome(const Outcome& outcome, const TrainerInfo& info, const TrainCommand& command) {
  const std::string objective(usual_objective(info));
  const std::string unit(info.unit);
  const auto rate = static_cast<double>(outcome.steps) / outcome.seconds;
  if (command.json) {
    Json document{
        {objective, outcome.value.is_diverged() ? Json("diverged") : Json(outcome.value.value())},
        {unit, outcome.steps},
        {"seconds", outcome.seconds},
        {unit + "_per_s", rate},
        {"cpu_s", trainers::process_cpu_s()},
        {"solved", solved_document(outcome.solved, unit)},
        {"seed", command.seed},
        {"preset", outcome.preset.empty() ? Json(nullptr) : Json(outcome.preset)},
        {"metrics", metrics_document(outcome.metrics)},
        {"model", command.out.empty() ? Json(nullptr) : Json(command.out.string())}};
    for (const Fact& fact : outcome.facts) document[fact.name] = fact.value;
    std::cout << to_text(document) << "\n";
    return;
  }
  std::cout << objective << " ";
  if (outcome.value.is_diverged())
    std::cout << "diverged";
  else
    std::cout << outcome.value.value();
  std::cout << " after " << outcome.steps << " " << unit << " (" << short_count(rate) << " " << unit
            << "/s)";
  if (outcome.solved)
    std::cout << ", goal reached after " << short_count(static_cast<double>(outcome.solved->step));
  if (!command.out.empty()) std::cout << ", model in " << command.out.string();
  std::cout << "\n";
  for (const Fact& fact : outcome.facts)
    std::cout << "  " << fact.name << ": " << fact.value << "\n";
}

// Trains in parts of save_every units and saves after each, so that a training that is killed and
// resumed trains the same parts, and ends with the same weights, as one that is not.
Status train_in_parts(Trainer& trainer, const TrainCommand& command, const std::stop_token& stop,
                      const std::function<void()>& tick) {
  const auto part = command.save_every > 0 ? command.save_every : command.budget;
  while (trainer.step() < command.budget && !stop.stop_requested()) {
    const auto end = std::min((trainer.step() / part + 1) * part, command.budget);
    trainer.advance(end, stop, tick);
    if (stop.stop_requested() || trainer.value().is_diverged()) break;
    if (command.save_every == 0) continue;
    if (auto saved = trainer.save(command.out); !saved) return saved;
  }
  return Done{};
}

// At most one line a second: an evaluation takes many steps in that time.
std::function<void(int)> print_progress(int episodes) {
  auto next = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  return [episodes, next](int finished) mutable {
    const auto now = std::chrono::steady_clock::now();
    if (now < next) return;
    next = now + std::chrono::seconds(1);
    std::cout << to_text(Json{{"finished", finished}, {"episodes", episodes}}) << std::endl;
  };
}

}  // namespace

Result<Settings> settings_of(const TrainerInfo& info, const TrainCommand& command) {
  auto params = params_of(info, command);
  if (!params) return std::move(params).error();
  return Settings::resolve(info, *params, {});
}

Result<int> run_for_worker(const TrainerRow& row, const std::filesystem::path& run_file) {
  const StopSignal stop;
  const auto file = read_run_file(run_file);
  if (!file) return file.error();
  auto trainer = trainer_of(row, *file);
  if (!trainer) {
    // Another machine may have the backend; parameters that cannot work fail everywhere. The worker
    // recognizes the first sentence (worker/agent/evidence.cpp).
    const bool machine = trainer.error().code == Code::unavailable;
    std::cerr << (machine ? "hone-train: not on this machine: " : "hone-train: ")
              << trainer.error().detail << "\n";
    return machine ? exit_failed : exit_infeasible;
  }
  auto trial = Trial::connect(environment("HONE_SOCKET"));
  if (!trial) return trial.error();
  return run_phases({*file, **trial, environment("HONE_CHECKPOINT_DIR")}, **trainer, stop.token());
}

Result<int> train_alone(const TrainerRow& row, const TrainCommand& command) {
  const StopSignal stop;
  const auto& info = *find_trainer(row.name);
  auto settings = settings_of(info, command);
  if (!settings) return std::move(settings).error();
  print_choice(*settings);
  const auto preset = settings->preset().name;
  auto made = row.make({std::move(*settings), command.seed, command.budget, command.invitation});
  if (!made) return std::move(made).error();
  auto& trainer = **made;
  if (!command.from.empty())
    if (auto loaded = trainer.load(command.from); !loaded) return std::move(loaded).error();

  const auto start = trainer.step();
  const auto started = std::chrono::steady_clock::now();
  ProgressLine progress(
      {std::string(info.unit), std::string(usual_objective(info)), start, command.budget},
      isatty(STDERR_FILENO) != 0);
  const auto tick = [&] { progress.show(trainer.step(), trainer.value()); };
  if (auto saved = train_in_parts(trainer, command, stop.token(), tick); !saved)
    return std::move(saved).error();
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - started;
  progress.finish(trainer.step(), trainer.value());
  if (!command.out.empty())
    if (auto saved = trainer.save(command.out); !saved) return std::move(saved).error();
  if (stop.token().stop_requested()) return exit_terminated;
  print_outcome({trainer.step() - start, spent.count(), trainer.value(), trainer.solved(),
                 trainer.facts(), trainer.take_metrics(), preset},
                info, command);
  return trainer.value().is_diverged() ? exit_failed : exit_done;
}

Result<int> evaluate(const TrainerRow& row, EvaluationPlan plan, EvaluationFormat format) {
  if (format == EvaluationFormat::jsonl) plan.tick = print_progress(plan.episodes);
  const auto evaluation = row.evaluate(plan);
  if (!evaluation) return evaluation.error();
  const auto& returns = evaluation->returns;
  if (returns.empty())
    return refuse(Code::invalid, plan.model.string() + ": no episode of it has ended");
  const auto count = static_cast<double>(returns.size());
  const double mean = std::accumulate(returns.begin(), returns.end(), 0.0) / count;
  double square = 0;
  for (const double value : returns) square += (value - mean) * (value - mean);
  const double deviation = returns.size() < 2 ? 0 : std::sqrt(square / (count - 1));
  const auto [least, most] = std::minmax_element(returns.begin(), returns.end());
  if (format != EvaluationFormat::text) {
    const Json document{{"env", evaluation->env},
                        {"metric", usual_objective(*find_trainer(row.name))},
                        {"episodes", returns.size()},
                        {"actions", plan.sample ? "drawn" : "most probable"},
                        {"mean", mean},
                        {"sd", deviation},
                        {"min", *least},
                        {"max", *most},
                        {"returns", returns}};
    std::cout << to_text(document) << "\n";
    return exit_done;
  }
  std::printf(
      "%s: mean %.2f, sd %.2f, min %g, max %g over %zu episodes, actions %s\n",
      evaluation->env.c_str(), mean, deviation, *least, *most, returns.size(),
      plan.sample ? "drawn as in training" : "most probable (--sample: drawn as in training)");
  return exit_done;
}

Result<std::int64_t> parse_count(const std::string& text) {
  double number = 0;
  const auto* end = text.data() + text.size();
  const auto [rest, fault] = std::from_chars(text.data(), end, number);
  const std::string_view suffix(rest, static_cast<std::size_t>(end - rest));
  double factor = 0;
  if (suffix.empty()) factor = 1;
  if (suffix == "k") factor = 1e3;
  if (suffix == "M") factor = 1e6;
  if (suffix == "G") factor = 1e9;
  const double count = number * factor;
  if (fault != std::errc{} || factor == 0 || count < 1 || count > 9e15 ||
      count != std::floor(count))
    return refuse(Code::invalid, "'" + text + "' is not a count: write 5000, 200k, 1M or 2G");
  return static_cast<std::int64_t>(count);
}

}  // namespace hone::trainers
