// A batch of transitions from a replay memory, and the priorities that follow from it. Used by one
// thread.
#pragma once

#include <vector>

#include "worker/train/replay/memory.hpp"
#include "worker/train/rl/observation_scale.hpp"
#include "worker/train/value/options.hpp"
#include "worker/train/value/q_gradient.hpp"

namespace hone::q {

class ReplayBatch {
 public:
  explicit ReplayBatch(const Options& options);

  [[nodiscard]] std::size_t size() const { return draws_.size(); }
  // Draws and reads the rows; they are valid until the next call. `beta`: of prioritized draws.
  QBatch draw(const replay::Memory& memory, const replay::Index& index, envs::Stream& random,
              double beta);
  // Scales the observations of the rows that were drawn last.
  void scale(const rl::ObservationScale& scale);
  // The errors of the rows, which the learner writes.
  [[nodiscard]] std::span<float> errors() { return errors_; }
  // Where draws are prioritized, makes the errors the priorities of the rows.
  void set_priorities(replay::Index& index) const;

 private:
  bool prioritized_;
  std::vector<replay::Draw> draws_;
  std::size_t row_;
  dense::Floats observations_, next_;
  std::vector<std::int32_t> actions_;
  std::vector<float> rewards_, discounts_, weights_, errors_;
};

}  // namespace hone::q
