#include "worker/train/placement/agent.hpp"

#include "worker/train/placement/post.hpp"
#include "worker/train/placement/seq2seq.hpp"

namespace hone::trainers {

std::unique_ptr<Agent> make_agent(const AgentPlan& plan) {
  if (plan.settings.word("agent") == "seq2seq") return std::make_unique<Seq2SeqAgent>(plan);
  return std::make_unique<SoftmaxAgent>(plan);
}

}  // namespace hone::trainers
