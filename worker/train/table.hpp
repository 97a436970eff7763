// The trainers of hone-train, one row each; schemas/types/trainers.cpp has the same names with
// their settings, and tests/contract/trainer_contract_test.cpp compares the two. To add one, copy
// ga3c/ and its rows.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "worker/train/run/trainer.hpp"

namespace hone::trainers {

struct TrainerRow {
  std::string_view name;
  Result<std::unique_ptr<Trainer>> (*make)(const TrainingJob& job) = nullptr;
  Result<Evaluation> (*evaluate)(const EvaluationPlan& plan) = nullptr;
  bool measures = false;  // has --measure: what it learns can be run for real
};

std::span<const TrainerRow> trainer_table();

// nullptr where there is none of that name.
const TrainerRow* find_trainer_row(std::string_view name);

}  // namespace hone::trainers
