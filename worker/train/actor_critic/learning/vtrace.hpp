// V-trace targets and advantages (Espeholt et al., 2018, equation 1 and section 4.2), backwards
// over the steps of one environment that an older policy mu chose:
//   ratio_t = pi(a_t) / mu(a_t)
//   rho_t = min(rho_clip, ratio_t), c_t = lambda * min(c_clip, ratio_t)
//   delta_t = rho_t * (r_t + gamma * V_{t+1} - V_t)
//   vs_t - V_t = delta_t + gamma * c_t * (vs_{t+1} - V_{t+1})
//   advantage_t = rho_t * (r_t + gamma * vs_{t+1} - V_t)
// On-policy, with lambda 1 and clips of at least 1, vs_t is the return of all steps to the end.
#pragma once

#include <span>

#include "worker/train/rl/returns.hpp"

namespace hone::ac {

struct VtraceRule {
  rl::Discount discount;
  double rho_clip = 1;
  double c_clip = 1;
};

struct VtraceSteps {
  // `reward`, `ending` and, of a truncated step, `cut_value` are used.
  std::span<const rl::Step> outcomes;
  std::span<const double> log_ratios;  // log pi - log mu of the chosen actions
  std::span<const double> values;      // V by the current weights
  double tail = 0;                     // V of the state after the last step
};

// Writes vs and the advantages of all steps. After a terminated episode the value is 0, after a
// truncated one that of its last observation; no trace crosses the end of an episode.
void vtrace(const VtraceSteps& steps, const VtraceRule& rule, std::span<float> targets,
            std::span<float> advantages);

}  // namespace hone::ac
