// The nodes of Gorila as processes. The parameter server is in the training: a process that is
// killed loses its replay memory and the gradients that it had not sent.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "worker/train/nn/tensor_file.hpp"
#include "worker/train/value/gorila_server.hpp"
#include "worker/train/value/pool.hpp"

namespace hone::dqn {

class GorilaProcesses {
 public:
  // `server` must outlive the object.
  static Result<std::unique_ptr<GorilaProcesses>> make(const Options& options,
                                                       const trainers::TrainingJob& job,
                                                       GorilaServer& server);

  // Plays the frames of the server. Throws as ProcessPool::run().
  void run(ga3c::EpisodeLog& episodes, const std::function<void()>& tick);

  // As of nodes in threads. Those of a training that never ran are empty.
  [[nodiscard]] std::vector<ga3c::EnvGroup::State> states() const { return pool_->groups(); }
  void restore(const std::vector<ga3c::EnvGroup::State>& states) { pool_->restore(states); }
  // The target network of each node, which begins as the parameters where a run continues.
  void put_targets(const std::vector<float>& weights, trainers::TensorFile& file) const;

 private:
  GorilaProcesses(const Options& options, std::unique_ptr<ProcessPool> pool, GorilaServer& server);
  void publish();
  bool apply(int process, std::uint32_t slot);

  const Options& options_;
  std::unique_ptr<ProcessPool> pool_;
  GorilaServer& server_;
  SharedParameters parameters_;
  dense::Floats weights_;
  std::vector<std::int64_t> versions_;
};

// The body of such a process: returns only if it cannot begin.
Status serve_gorila(int socket, int memory);

}  // namespace hone::dqn
