#include "worker/train/actor_critic/agents/agent.hpp"

#include <algorithm>

#include "worker/train/actor_critic/agents/rollout_recorder.hpp"
#include "worker/train/actor_critic/learning/rollout.hpp"

namespace hone::ac {
namespace {

class CorrectedAgent final : public Agent {
 public:
  CorrectedAgent(std::unique_ptr<EnvGroup> group, const AgentRule& rule, rl::RewardScale& scale)
      : group_(std::move(group)),
        rule_(rule),
        scale_(scale),
        rollout_(rollout_shape(*group_, rule)),
        recorder_(rule) {
    for (int i = 0; i < group_->count(); ++i) pieces_.push_back({&rollout_, i});
  }

  EnvGroup& group() override { return *group_; }

  void play(rl::FrameBudget& budget, rl::EpisodeLog& episodes, NetworkClient& client) override {
    group_->predict(group_->latest().data(), client);
    while (const int steps = client.diverged() ? 0 : budget.claim(group_->count(), rule_.t_max)) {
      recorder_.record(*group_, steps, rollout_, episodes, client);
      label();
      for (int epoch = 0; epoch < rule_.epochs; ++epoch) {
        rollout_.hand_over(group_->count());
        client.train(pieces_, TrainingQueue::Wake::none);
        client.wait_until_trained(rollout_);
        // Other environments share a batch in the next epoch.
        std::rotate(pieces_.begin(), pieces_.begin() + 1, pieces_.end());
      }
      std::sort(pieces_.begin(), pieces_.end(),
                [](const Piece& a, const Piece& b) { return a.column < b.column; });
    }
  }

 private:
  void label() {
    const auto steps = static_cast<std::size_t>(rollout_.steps);
    for (int i = 0; i < group_->count(); ++i) {
      const auto outcomes = rollout_.outcomes(i).first(steps);
      const auto column = static_cast<std::size_t>(i);
      if (rule_.scale_rewards) scale_.apply(outcomes, group_->discounted_returns()[column]);
      discounted_returns(outcomes, group_->values()[column], rule_.discount, rollout_.returns(i));
      if (!rule_.bounded) continue;
      for (std::size_t t = 0; t < steps; ++t)
        rollout_.advantages(i)[t] =
            rollout_.returns(i)[t] - static_cast<float>(rollout_.outcomes(i)[t].value);
    }
  }

  std::unique_ptr<EnvGroup> group_;
  AgentRule rule_;
  rl::RewardScale& scale_;
  Rollout rollout_;
  RolloutRecorder recorder_;
  std::vector<Piece> pieces_;
};

class QueueingAgent final : public Agent {
 public:
  QueueingAgent(std::unique_ptr<EnvGroup> group, const AgentRule& rule, int slots,
                rl::RewardScale& scale)
      : group_(std::move(group)), rule_(rule), scale_(scale), recorder_(rule) {
    for (int i = 0; i < slots; ++i)
      slots_.push_back(std::make_unique<Rollout>(rollout_shape(*group_, rule)));
    pieces_.resize(static_cast<std::size_t>(group_->count()));
  }

  EnvGroup& group() override { return *group_; }

  void play(rl::FrameBudget& budget, rl::EpisodeLog& episodes, NetworkClient& client) override {
    group_->predict(group_->latest().data(), client);
    while (const int steps = client.diverged() ? 0 : budget.claim(group_->count(), rule_.t_max)) {
      auto& rollout = *slots_[next_slot_++ % slots_.size()];
      client.wait_until_trained(rollout);
      recorder_.record(*group_, steps, rollout, episodes, client);
      hand_over(rollout, client);
    }
    for (auto& slot : slots_) client.wait_until_trained(*slot);
    next_slot_ = 0;
  }

 private:
  void hand_over(Rollout& rollout, NetworkClient& client) {
    for (int i = 0; i < group_->count(); ++i) {
      const auto column = static_cast<std::size_t>(i);
      const auto outcomes = rollout.outcomes(i).first(static_cast<std::size_t>(rollout.steps));
      if (rule_.scale_rewards) scale_.apply(outcomes, group_->discounted_returns()[column]);
      pieces_[column] = {&rollout, i};
    }
    rollout.hand_over(group_->count());
    client.train(pieces_, TrainingQueue::Wake::one);
  }

  std::unique_ptr<EnvGroup> group_;
  AgentRule rule_;
  rl::RewardScale& scale_;
  RolloutRecorder recorder_;
  std::vector<std::unique_ptr<Rollout>> slots_;
  std::vector<Piece> pieces_;
  std::size_t next_slot_ = 0;
};

class ParityAgent final : public Agent {
 public:
  ParityAgent(std::unique_ptr<EnvGroup> group, const AgentRule& rule, int slots)
      : group_(std::move(group)), rule_(rule), tracks_(static_cast<std::size_t>(group_->count())) {
    const RolloutShape shape{1, rule.t_max, group_->spec().row_floats(),
                             static_cast<int>(group_->numbers_each())};
    for (int i = 0; i < slots; ++i) slots_.push_back(std::make_unique<Rollout>(shape));
    next_.resize(group_->latest().size());
  }

  EnvGroup& group() override { return *group_; }

  void play(rl::FrameBudget& budget, rl::EpisodeLog& episodes, NetworkClient& client) override {
    for (auto& track : tracks_) track = {};
    group_->predict(group_->latest().data(), client);
    while (!client.diverged() && budget.claim(group_->count(), 1) > 0) {
      group_->draw_actions();
      group_->step(next_.data(), episodes);
      for (int i = 0; i < group_->count(); ++i) record(i, client);
      std::copy(next_.begin(), next_.end(), group_->latest().begin());
      group_->predict(group_->latest().data(), client);
    }
    for (auto& slot : slots_) client.wait_until_trained(*slot);
  }

 private:
  struct Experience {
    std::vector<float> observation;
    std::int32_t action = 0;
    std::vector<float> numbers;
    double reward = 0;
    std::uint64_t version = 0;
  };
  struct Track {
    std::vector<Experience> experiences;
    int time_count = 0;
  };

  void record(int i, NetworkClient& client) {
    const auto size = static_cast<std::size_t>(group_->spec().row_floats());
    const auto row = group_->latest().subspan(static_cast<std::size_t>(i) * size, size);
    auto& track = tracks_[static_cast<std::size_t>(i)];
    const auto numbers = group_->numbers(i);
    track.experiences.push_back({{row.begin(), row.end()},
                                 group_->action(i),
                                 {numbers.begin(), numbers.end()},
                                 group_->reward(i),
                                 group_->version()});
    const bool done = group_->terminated(i) || group_->truncated(i);
    if (done || track.time_count == rule_.t_max) {
      const double tail = done ? 0.0 : group_->values()[static_cast<std::size_t>(i)];
      hand_over(track.experiences, tail, client);
      track.experiences.erase(track.experiences.begin(), track.experiences.end() - (done ? 0 : 1));
      track.time_count = 0;
    }
    track.time_count = done ? 0 : track.time_count + 1;
  }

  void hand_over(const std::vector<Experience>& experiences, double tail, NetworkClient& client) {
    if (experiences.size() < 2) return;
    auto& slot = *slots_[next_slot_++ % slots_.size()];
    client.wait_until_trained(slot);
    slot.steps = static_cast<int>(experiences.size()) - 1;
    std::vector<double> rewards;
    for (const auto& experience : experiences) rewards.push_back(experience.reward);
    rl::parity_returns(rewards, tail, {rule_.discount.gamma, rule_.reward_clip}, slot.returns(0));
    for (int t = 0; t < slot.steps; ++t) {
      const auto& experience = experiences[static_cast<std::size_t>(t)];
      std::copy(experience.observation.begin(), experience.observation.end(), slot.observations(t));
      slot.actions(0)[static_cast<std::size_t>(t)] = experience.action;
      std::copy(experience.numbers.begin(), experience.numbers.end(), slot.numbers(t, 0).begin());
      slot.version(t) = experience.version;
    }
    slot.hand_over(1);
    const Piece piece{&slot, 0};
    client.train({&piece, 1}, TrainingQueue::Wake::one);
    if (rule_.waits) client.wait_until_trained(slot);
  }

  std::unique_ptr<EnvGroup> group_;
  AgentRule rule_;
  std::vector<Track> tracks_;
  std::vector<std::unique_ptr<Rollout>> slots_;
  std::size_t next_slot_ = 0;
  std::vector<float> next_;
};

}  // namespace

std::unique_ptr<Agent> make_corrected_agent(std::unique_ptr<EnvGroup> group, const AgentRule& rule,
                                            rl::RewardScale& scale) {
  return std::make_unique<CorrectedAgent>(std::move(group), rule, scale);
}

std::unique_ptr<Agent> make_queueing_agent(std::unique_ptr<EnvGroup> group, const AgentRule& rule,
                                           int slots, rl::RewardScale& scale) {
  return std::make_unique<QueueingAgent>(std::move(group), rule, slots, scale);
}

std::unique_ptr<Agent> make_parity_agent(std::unique_ptr<EnvGroup> group, const AgentRule& rule,
                                         int slots) {
  return std::make_unique<ParityAgent>(std::move(group), rule, slots);
}

}  // namespace hone::ac
