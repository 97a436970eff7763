// An agent of the trainer `placement`: it proposes placements of a graph and learns from their
// costs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "placement/core/problem.hpp"
#include "placement/core/random_generator.hpp"
#include "schemas/codec/json.hpp"
#include "schemas/trainers/settings.hpp"

namespace hone::trainers {

// A placement that was evaluated.
struct Sample {
  placement::Placement placement;
  double cost_ms = 0;  // placement::Cost::total_ms: at least Problem::failed_ms if it cannot run
  bool ran = true;
};

struct AgentPlan {
  const placement::Problem& problem;
  const Settings& settings;
  std::int64_t budget = 0;       // samples of a complete run: schedules are annealed over it
  placement::Placement leaning;  // the initial policy prefers it; empty: uniform
};

class Agent {
 public:
  Agent() = default;
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;
  virtual ~Agent() = default;

  virtual placement::Placement sample(placement::RandomGenerator& generator) = 0;
  // Precondition: every placement drawn before was observed, and count <= wanted().
  virtual std::vector<placement::Placement> draw(int count, placement::RandomGenerator& generator);
  // The most probable placement.
  virtual placement::Placement greedy() = 0;
  // Number of samples until the agent learns again; the policy does not change before.
  [[nodiscard]] virtual int wanted() const = 0;
  // Takes a sample, in the order in which they were drawn, and learns when it has enough.
  virtual void observe(const Sample& sample) = 0;
  // Entropy of the policy, mean over the groups, divided by that of the uniform policy: 1 for
  // uniform, 0 for deterministic.
  [[nodiscard]] virtual double entropy() = 0;

  [[nodiscard]] virtual Json state() const = 0;
  // Refuses a damaged state and that of another problem or size, with one sentence.
  virtual Status restore(const Json& state) = 0;
};

// The agent that the settings name.
std::unique_ptr<Agent> make_agent(const AgentPlan& plan);

// Whether the placement has a device in [0, devices) for each of `groups` groups.
bool fits(const placement::Placement& placement, std::size_t groups, std::size_t devices);
// Samples as the JSON of a checkpoint. read_samples() returns nothing for damaged JSON and for
// placements that do not fit.
Json json_of(const std::vector<Sample>& samples);
std::optional<std::vector<Sample>> read_samples(const Json& list, std::size_t groups,
                                                std::size_t devices);

}  // namespace hone::trainers
