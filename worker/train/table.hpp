// The trainers of hone-train, by the rows of schemas/trainers/trainers.hpp, which says how to
// add one.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "worker/train/run/trainer.hpp"

namespace hone::trainers {

struct TrainerRow {
  std::string_view name{};  // set by the table
  Result<std::unique_ptr<Trainer>> (*make)(const TrainingJob& job) = nullptr;
  Result<Evaluation> (*evaluate)(const EvaluationPlan& plan) = nullptr;
  // Plays for a training as its process, by two descriptors; nullptr: there are no such processes.
  Status (*serve)(int socket, int memory) = nullptr;
  bool invites = false;   // its actors can be on other hosts: TrainingJob::invitation
  bool measures = false;  // has --measure: runs what it has learned for real
};

std::span<const TrainerRow> trainer_table();

// nullptr if there is none of that name.
const TrainerRow* find_trainer_row(std::string_view name);

}  // namespace hone::trainers
