// What learns where groups go. One agent is one way of learning; make_agent knows them all.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "placement/core/dice.hpp"
#include "placement/core/problem.hpp"
#include "schemas/codec/json.hpp"
#include "worker/train/settings/settings.hpp"

namespace hone::trainers {

// A placement that was tried.
struct Sample {
  placement::Placement placement;
  double step_ms = 0;  // the failing signal where it did not run
  bool ran = true;
};

struct AgentPlan {
  const placement::Problem& problem;
  const Settings& settings;
  std::int64_t budget = 0;       // samples of a complete run: schedules are annealed over it
  placement::Placement leaning;  // the policy starts biased towards it; empty: uniform
};

class Agent {
 public:
  Agent() = default;
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;
  virtual ~Agent() = default;

  virtual placement::Placement sample(placement::Dice& dice) = 0;
  // The most probable placement.
  virtual placement::Placement greedy() = 0;
  // Samples it would take before it learns again: all of one policy.
  [[nodiscard]] virtual int wanted() const = 0;
  // In the order in which they were drawn. Learns when it has what it wanted.
  virtual void observe(const Sample& sample) = 0;
  // Mean over the groups, divided by that of the uniform policy: 1 at the start, 0 when frozen.
  [[nodiscard]] virtual double entropy() = 0;

  [[nodiscard]] virtual Json state() const = 0;
  virtual Status restore(const Json& state) = 0;
};

std::unique_ptr<Agent> make_agent(const AgentPlan& plan);

}  // namespace hone::trainers
