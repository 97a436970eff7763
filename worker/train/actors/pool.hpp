// Processes of this program that play for a training, over shared memory, or guests on other hosts
// in their place. One that ends is replaced, and its steps are given to the new one. They end with
// the thread that calls run().
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "worker/train/actors/guests.hpp"
#include "worker/train/ipc/channel.hpp"
#include "worker/train/ipc/shared_layout.hpp"
#include "worker/train/ipc/shared_memory.hpp"
#include "worker/train/rl/group_state.hpp"
#include "worker/train/run/trainer.hpp"

namespace hone::actors {

struct PoolPlan {
  std::string trainer;  // its name
  const trainers::TrainingJob& job;
  const ipc::SharedMemory& memory;  // must outlive the pool
  int count = 1;                    // processes
  int slots = 1;                    // grants that a process holds at the same time
  ipc::SharedLayout layout{};       // for guests
};

// What happens in a phase. All are called on the thread that calls run().
struct PoolPhase {
  std::function<int()> claim;           // steps for one grant; 0: none are left
  std::function<std::int64_t()> steps;  // of each environment so far
  // Results of so many steps, as claim() returned them; the slot is free again afterwards. Returns
  // false for what no process sends: the process is replaced.
  std::function<bool(int process, const ipc::Message&, int steps)> played;
  // A process on another host sends this, of the kinds `tell` and `ask`; the number and the payload
  // that are returned answer the latter. nullopt for what no process sends: as played(). Without
  // this function no process sends any.
  std::function<std::optional<ipc::Message>(int process, const ipc::Message&)> hear = {};
  // The process was replaced: its environments begin new episodes.
  std::function<void(int process)> lost;
  std::function<void()> tick;  // about once a second
};

class ProcessPool {
 public:
  explicit ProcessPool(const PoolPlan& plan);
  ProcessPool(const ProcessPool&) = delete;
  ProcessPool& operator=(const ProcessPool&) = delete;
  ~ProcessPool();

  // Lets guests play who find the file. Before the first call of run(). Refuses as Guests::begin().
  Status invite(const trainers::Invitation& invitation);

  // Grants steps until claim() has none left and all that were granted are played. Throws
  // std::runtime_error if a process cannot be started, or ends again and again.
  void run(const PoolPhase& phase);

  // The environments of each process between two calls of run(); empty before the first one.
  [[nodiscard]] std::vector<rl::GroupState> groups() const;
  // Before the first call of run().
  void restore(const std::vector<rl::GroupState>& groups);

 private:
  struct Process {
    pid_t pid = -1;  // of a process on this host
    std::unique_ptr<ipc::Channel> channel{};
    std::vector<int> grants{};  // steps of each slot; 0: free
    int starts = 0;
    int failures = 0;  // ends since it last played
    bool parked = true;
  };

  enum class Place { any, here };
  void start(int index, const PoolPhase& phase, Place place);
  [[nodiscard]] pid_t start_here(int index, const FileHandle& socket) const;
  // Guests that wait take the places of processes on this host.
  void seat_guests(const PoolPhase& phase);
  void replace(int index, const PoolPhase& phase);
  void collect(Process& process);
  void grant(int index, const PoolPhase& phase);
  void receive(int index, const PoolPhase& phase);
  bool accept(int index, ipc::Message message, const PoolPhase& phase);
  bool hear(int index, const ipc::Message& message, const PoolPhase& phase);
  void receive_some(const PoolPhase& phase);
  [[nodiscard]] bool playing() const;
  [[nodiscard]] bool parked() const;
  [[nodiscard]] std::string task(int index, const PoolPhase& phase) const;

  std::string trainer_, job_;
  ipc::SharedLayout layout_;
  std::unique_ptr<Guests> guests_;
  const ipc::SharedMemory& memory_;
  std::vector<Process> processes_;
  std::vector<std::string> states_;  // see state_text()
  bool parking_ = false;             // all steps of the phase are played
};

}  // namespace hone::actors
