// IMPALA's updates (Espeholt et al., 2018): rollouts that older policies played are corrected by
// V-trace at the current weights. The loss is that of loss.hpp with the targets and advantages of
// vtrace.hpp, which are constants. Used by one thread.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "worker/train/actor_critic/learning/learner.hpp"
#include "worker/train/actor_critic/learning/rollout.hpp"
#include "worker/train/actor_critic/learning/vtrace.hpp"

namespace hone::ac {

class VtraceLearner {
 public:
  // samples_max and pieces_max: of one update.
  VtraceLearner(const nn::NetShape& shape, int samples_max, int pieces_max,
                const nn::NetworkMaker& networks, ParameterServer& server, const VtraceRule& rule);

  // Makes one update of the server from the pieces, at its current weights.
  void serve(std::span<const Piece> pieces);

 private:
  void gather(std::span<const Piece> pieces);
  // Fills targets_ and advantages_ by the outputs of all samples and of the states after them.
  void label(std::span<const Piece> pieces, const dense::Heads& outputs);
  dense::LossSums loss_of(const dense::Heads& outputs);

  nn::NetShape shape_;
  ParameterServer& server_;
  VtraceRule rule_;
  std::unique_ptr<nn::Network> network_;
  std::size_t samples_ = 0;
  double version_sum_ = 0;
  dense::Numbers actions_;
  std::vector<float> numbers_;  // of continuous actions
  dense::Floats targets_, advantages_, log_chances_, new_log_chances_;
  std::vector<double> log_ratios_, values_;
  dense::Floats output_gradient_;
};

}  // namespace hone::ac
