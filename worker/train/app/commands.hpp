// The commands of `hone-train NAME`: a run for a worker (HONE_RUN_FILE), a training without a
// server, or an evaluation.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "worker/train/table.hpp"

namespace hone::trainers {

struct TrainCommand {
  std::int64_t budget = 0;
  std::uint64_t seed = 1;
  std::string env;                    // empty: the default
  std::vector<std::string> settings;  // "name=value"
  std::filesystem::path out;          // empty: the model is not saved
  std::filesystem::path from;         // a model to continue from, or empty
  std::int64_t save_every = 0;        // units between two saves of `out`; 0: save only at the end
  bool json = false;
  Invitation invitation{};
};

// How an evaluation is printed: a sentence; an object; or, before that object, a line about once a
// second with the number of finished episodes, for programs: {"finished":40,"episodes":100}.
enum class EvaluationFormat { text, json, jsonl };

// Each returns the exit status of the process; messages go to stderr, results to stdout.
Result<int> run_for_worker(const TrainerRow& row, const std::filesystem::path& run_file);
Result<int> train_alone(const TrainerRow& row, const TrainCommand& command);
Result<int> evaluate(const TrainerRow& row, EvaluationPlan plan, EvaluationFormat format);

// The settings that the options of the command give, checked against those of the trainer.
Result<Settings> settings_of(const TrainerInfo& info, const TrainCommand& command);

// Parses "1M", "200k" or "5000". Refuses everything but whole numbers of at least 1.
Result<std::int64_t> parse_count(const std::string& text);

}  // namespace hone::trainers
