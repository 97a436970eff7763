#include <algorithm>

#include "schemas/types/spec.hpp"

namespace hone {

std::vector<const CommandTrainer*> commands_of(const SweepSpec& spec) {
  std::vector<const CommandTrainer*> commands;
  if (const auto* command = std::get_if<CommandTrainer>(&spec.trainer)) commands.push_back(command);
  if (const auto* pipeline = std::get_if<PipelineTrainer>(&spec.trainer))
    for (const StepSpec& step : pipeline->steps) commands.push_back(&step.command);
  return commands;
}

const StepSpec* step_of(const SweepSpec& spec, int step) {
  const auto* pipeline = std::get_if<PipelineTrainer>(&spec.trainer);
  if (pipeline == nullptr || step < 0 || step >= static_cast<int>(pipeline->steps.size()))
    return nullptr;
  return &pipeline->steps[static_cast<std::size_t>(step)];
}

int steps_of(const SweepSpec& spec) {
  const auto* pipeline = std::get_if<PipelineTrainer>(&spec.trainer);
  return pipeline == nullptr ? 1 : static_cast<int>(pipeline->steps.size());
}

ResourcesSpec resources_of(const SweepSpec& spec, int step) {
  const StepSpec* one = step_of(spec, step);
  return one != nullptr && one->resources ? *one->resources : spec.resources;
}

BudgetSpec budget_of(const SweepSpec& spec, int step, int reported) {
  BudgetSpec budget = spec.budget;
  const StepSpec* one = step_of(spec, step);
  if (one == nullptr || !one->phases) return budget;
  const int until = std::min(budget.phases, reported + *one->phases);
  budget.per_run = budget.per_run * until / budget.phases;
  budget.phases = std::max(until, 1);
  return budget;
}

int least_slots(const SweepSpec& spec) {
  int least = resources_of(spec, 0).cpus;
  for (int step = 1; step < steps_of(spec); ++step)
    least = std::min(least, resources_of(spec, step).cpus);
  return least;
}

ResourcesSpec most_resources(const SweepSpec& spec) {
  ResourcesSpec most = resources_of(spec, 0);
  most.cpus_max = 0;
  for (int step = 1; step < steps_of(spec); ++step) {
    const ResourcesSpec one = resources_of(spec, step);
    most.cpus = std::max(most.cpus, one.cpus);
    most.gpus = std::max(most.gpus, one.gpus);
    most.memory = std::max(most.memory, one.memory);
    most.gpu_memory = std::max(most.gpu_memory, one.gpu_memory);
    for (const std::string& label : one.labels)
      if (std::ranges::find(most.labels, label) == most.labels.end()) most.labels.push_back(label);
  }
  return most;
}

bool needs(const StepSpec& step, const std::string& earlier) {
  return !step.needs || std::ranges::find(*step.needs, earlier) != step.needs->end();
}

}  // namespace hone
