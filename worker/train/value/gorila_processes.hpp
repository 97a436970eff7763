// The nodes of Gorila as processes. The parameter server is in memory that they share with the
// training: a process that is killed loses its replay memory only. Those on other hosts fetch the
// parameters and send gradients in messages.
#pragma once

#include <functional>
#include <vector>

#include "worker/train/actors/pool.hpp"
#include "worker/train/nn/tensor_file.hpp"
#include "worker/train/value/gorila_guests.hpp"
#include "worker/train/value/gorila_server.hpp"

namespace hone::q {

class GorilaProcesses {
 public:
  // The references must outlive the object. memory: that of the server.
  GorilaProcesses(const Options& options, const trainers::TrainingJob& job,
                  const ipc::SharedMemory& memory, GorilaServer& server)
      : options_(options),
        pool_({"gorila", job, memory, options.apex.actors, options.apex.slots,
               GorilaServer::layout(options)}),
        server_(server),
        guests_(options, server) {}

  // As ProcessPool::invite().
  Status invite(const trainers::Invitation& invitation) { return pool_.invite(invitation); }

  // Plays the frames of the server. Throws as ProcessPool::run().
  void run(rl::EpisodeLog& episodes, const std::function<void()>& tick);

  // As of nodes in threads. Those of a training that never ran are empty.
  [[nodiscard]] std::vector<rl::GroupState> states() const { return pool_.groups(); }
  void restore(const std::vector<rl::GroupState>& states) { pool_.restore(states); }
  // The target network of each node, which begins as the parameters where a run continues.
  void put_targets(const std::vector<float>& weights, trainers::TensorFile& file) const;

 private:
  const Options& options_;
  actors::ProcessPool pool_;
  GorilaServer& server_;
  GorilaGuests guests_;
};

// The body of such a process: returns only if it cannot begin.
Status serve_gorila(int socket, int memory);

}  // namespace hone::q
