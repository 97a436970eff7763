// An actor of Ape-X (Horgan et al., 2018): plays its environments with its share of the exploration
// by weights that it fetches now and then, and computes the errors with which the transitions enter
// the replay memory. Each actor is used by one thread.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "worker/train/envs/core/env.hpp"
#include "worker/train/replay/memory.hpp"
#include "worker/train/rl/batch_queue.hpp"
#include "worker/train/rl/episodes.hpp"
#include "worker/train/rl/group_state.hpp"
#include "worker/train/value/first_errors.hpp"
#include "worker/train/value/options.hpp"

namespace hone::q {

// Steps that an actor hands to the learner. The actor uses the buffer again after they are stored.
struct ApexChunk {
  ApexChunk(std::size_t environments, std::size_t steps_max, std::size_t row_floats);

  std::size_t first_lane = 0;
  std::size_t environments = 0;
  std::size_t row = 0;  // floats of an observation
  std::size_t steps = 0;
  std::uint64_t version = 0;  // of the weights that played them
  // [step][environment]
  std::vector<float> observations, last;
  std::vector<std::int32_t> actions;
  std::vector<float> rewards;
  std::vector<replay::Ending> endings;
  // Of the transitions that the steps complete, in the order in which the memory completes them,
  // and how many each step completes.
  std::vector<double> errors;
  std::vector<std::size_t> error_counts;

  void hand_over() { stored_.store(false, std::memory_order_release); }
  void set_stored() {
    stored_.store(true, std::memory_order_release);
    stored_.notify_all();
  }
  void wait_until_stored() const { stored_.wait(false, std::memory_order_acquire); }

 private:
  std::atomic<bool> stored_{true};
};

inline int weight_of(const ApexChunk* chunk) { return static_cast<int>(chunk->steps); }
using ApexQueue = rl::BatchQueue<ApexChunk*>;

// Appends the steps to the lanes of the memory.
void store(const ApexChunk& chunk, replay::Memory& memory);

// What an actor has of the run: frames to play, weights, and the learner.
class ApexLink {
 public:
  ApexLink() = default;
  ApexLink(const ApexLink&) = delete;
  ApexLink& operator=(const ApexLink&) = delete;
  virtual ~ApexLink() = default;

  // Claims up to steps_max steps of `columns` environments; 0 when the phase is over.
  virtual int claim(int columns, int steps_max) = 0;
  // Copies the weights and returns their version.
  virtual std::uint64_t fetch(dense::Floats& weights) = 0;
  // The chunk must not be used before wait_until_stored().
  virtual void hand_over(ApexChunk& chunk) = 0;
};

class ApexActor {
 public:
  // index: of this actor among all.
  ApexActor(const Options& options, std::unique_ptr<envs::VecEnv> env, int index);

  // Plays until the link grants no more frames, and returns when all steps are stored.
  void play(ApexLink& link, rl::EpisodeLog& episodes);
  // Random numbers continue after those of so many steps.
  void start_at(std::int64_t steps) { played_ = static_cast<std::uint64_t>(steps); }

  // Between two calls of play().
  [[nodiscard]] rl::GroupState state() const;
  // Returns false for a state of other environments.
  bool restore(const rl::GroupState& state);

 private:
  void step(ApexChunk& chunk, std::size_t t, rl::EpisodeLog& episodes);
  // Notes the errors of the transitions that end in the states to act on.
  void choose();
  void note(ApexChunk& chunk, std::size_t t);
  double best_value(const float* observation);

  const Options& options_;
  std::unique_ptr<envs::VecEnv> env_;
  int index_;
  std::size_t count_, row_;
  std::unique_ptr<nn::Network> network_;
  dense::Floats weights_;
  std::uint64_t played_ = 0;  // steps; addresses the random numbers
  std::vector<float> latest_, next_, last_, rewards_;
  std::vector<double> values_, chosen_values_;
  std::vector<std::int32_t> actions_;
  std::vector<std::uint8_t> terminated_, truncated_;
  std::vector<FirstErrors> pending_;            // of each environment
  std::vector<std::vector<double>> completed_;  // errors by this step, of each environment
  std::vector<std::unique_ptr<ApexChunk>> chunks_;
  rl::RunningEpisodes running_;
};

}  // namespace hone::q
