#include "worker/trainers/placement/agent.hpp"

#include "worker/trainers/placement/post.hpp"

namespace hone::trainers {

std::unique_ptr<Agent> make_agent(const AgentPlan& plan) {
  return std::make_unique<SoftmaxAgent>(plan);
}

}  // namespace hone::trainers
