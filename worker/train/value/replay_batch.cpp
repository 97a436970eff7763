#include "worker/train/value/replay_batch.hpp"

namespace hone::q {

ReplayBatch::ReplayBatch(const Options& options)
    : prioritized_(options.index.priority != replay::Priority::uniform),
      draws_(static_cast<std::size_t>(options.batch)),
      row_(static_cast<std::size_t>(options.net.input_floats())),
      observations_(draws_.size() * row_),
      next_(draws_.size() * row_),
      actions_(draws_.size()),
      rewards_(draws_.size()),
      discounts_(draws_.size()),
      weights_(draws_.size(), 1.0F),
      errors_(draws_.size()) {}

QBatch ReplayBatch::draw(const replay::Memory& memory, const replay::Index& index,
                         envs::Stream& random, double beta) {
  index.draw(draws_, random);
  for (std::size_t i = 0; i < draws_.size(); ++i) {
    float action = 0;
    const auto backup =
        memory.read(draws_[i].slot, &observations_[i * row_], &next_[i * row_], {&action, 1});
    actions_[i] = static_cast<std::int32_t>(action);
    rewards_[i] = backup.reward;
    discounts_[i] = backup.discount;
  }
  if (prioritized_) importance_weights(draws_, index.size(), beta, weights_);
  return {static_cast<int>(draws_.size()),
          observations_.data(),
          next_.data(),
          actions_.data(),
          rewards_.data(),
          discounts_.data(),
          weights_.data()};
}

void ReplayBatch::scale(const rl::ObservationScale& scale) {
  for (auto* rows : {&observations_, &next_})
    scale.apply(rows->data(), static_cast<int>(draws_.size()));
}

void ReplayBatch::set_priorities(replay::Index& index) const {
  if (!prioritized_) return;
  for (std::size_t i = 0; i < draws_.size(); ++i)
    index.set_error(draws_[i].slot, static_cast<double>(errors_[i]));
}

}  // namespace hone::q
