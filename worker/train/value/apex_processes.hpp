// The actors of Ape-X as processes.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "worker/train/actors/pool.hpp"
#include "worker/train/rl/frames.hpp"
#include "worker/train/value/apex_actor.hpp"

namespace hone::q {

class ApexProcesses {
 public:
  static Result<std::unique_ptr<ApexProcesses>> make(const Options& options,
                                                     const trainers::TrainingJob& job);

  // Of the weights that the actors play by. Call it before run().
  void publish(std::span<const float> weights) { parameters_.publish(weights); }

  struct Phase {
    rl::FrameCounter& frames;
    rl::EpisodeLog& episodes;
    replay::Memory& memory;  // its lanes are cut where a process was lost
    std::function<void(const ApexChunk&)> store;
    std::function<void()> tick;
  };
  // Plays the frames of the counter. All is called on this thread. Throws as ProcessPool::run().
  void run(const Phase& phase);

  // As of actors in threads. Those of a training that never ran are empty.
  [[nodiscard]] std::vector<rl::GroupState> states() const;
  void restore(const std::vector<rl::GroupState>& states);

 private:
  ApexProcesses(const Options& options, const trainers::TrainingJob& job, ipc::SharedMemory memory);

  const Options& options_;
  ipc::SharedMemory memory_;
  actors::ProcessPool pool_;
  ipc::SharedParameters parameters_;
  std::vector<std::unique_ptr<ApexChunk>> chunks_;  // one of each process
};

// The body of such a process: returns only if it cannot begin.
Status serve_apex(int socket, int memory);

}  // namespace hone::q
