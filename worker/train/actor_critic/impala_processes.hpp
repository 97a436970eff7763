// The actors of IMPALA as processes, or as guests on other hosts. What they play is copied to
// rollouts of the training, which its learner trains.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "worker/train/actor_critic/agents/env_group.hpp"
#include "worker/train/actor_critic/options.hpp"
#include "worker/train/actor_critic/vtrace_training.hpp"
#include "worker/train/actors/pool.hpp"
#include "worker/train/rl/frames.hpp"
#include "worker/train/rl/reward_scale.hpp"

namespace hone::ac {

// Where the weights and the rollouts of each process are.
struct RolloutLayout : ipc::SharedLayout {
  explicit RolloutLayout(const Options& options);

  RolloutShape shape;
};

class ImpalaProcesses {
 public:
  // The references must outlive the object.
  static Result<std::unique_ptr<ImpalaProcesses>> make(const Options& options,
                                                       const trainers::TrainingJob& job,
                                                       ParameterServer& server);

  struct Phase {
    rl::FrameCounter& frames;
    rl::EpisodeLog& episodes;
    rl::RewardScale& scale;
    std::function<void()> tick;
  };
  // Plays the frames of the counter, and returns when everything that was played is trained. Throws
  // as ProcessPool::run().
  void run(const Phase& phase);

  // Of the queue of the learner since the last call.
  rl::QueueMeter take_meter();

  // As of actors in threads. Those of a training that never ran are empty.
  [[nodiscard]] std::vector<EnvGroup::State> states() const;
  void restore(const std::vector<EnvGroup::State>& states);

 private:
  // Of a process.
  struct Actor {
    std::vector<std::unique_ptr<Rollout>> rollouts;  // of each slot
    std::vector<double> discounted;  // returns of the running episodes, see RewardScale
  };

  ImpalaProcesses(const Options& options, const trainers::TrainingJob& job, ParameterServer& server,
                  ipc::SharedMemory memory);
  void publish();
  bool train(int process, const ipc::Message& message, int steps, const Phase& phase);
  void queue(Actor& actor, Rollout& rollout, rl::RewardScale& scale);

  const Options& options_;
  ParameterServer& server_;
  RolloutLayout layout_;
  ipc::SharedMemory memory_;
  actors::ProcessPool pool_;
  ipc::SharedParameters parameters_;
  std::vector<Actor> actors_;
  std::vector<Piece> pieces_;
  std::optional<VtraceTraining> learner_;  // while run() is called
  rl::QueueMeter meter_;                   // of the learners that have ended
};

// The body of such a process: returns only if it cannot begin.
Status serve_impala(int socket, int memory);

}  // namespace hone::ac
