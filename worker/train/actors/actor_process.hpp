// The other end of a ProcessPool: what a process that plays for a training has of it.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "worker/train/ipc/channel.hpp"
#include "worker/train/ipc/shared_memory.hpp"
#include "worker/train/rl/episodes.hpp"
#include "worker/train/rl/group_state.hpp"
#include "worker/train/run/trainer.hpp"

namespace hone::actors {

// Environments between two phases, as text.
std::string state_text(const rl::GroupState& state);
// nullopt for another text.
std::optional<rl::GroupState> state_of(const std::string& text);

// Episodes that ended, until they are sent.
class EpisodeBuffer final : public rl::EpisodeLog {
 public:
  void finish(std::span<const rl::Episode> episodes) override {
    ended_.insert(ended_.end(), episodes.begin(), episodes.end());
  }
  [[nodiscard]] std::vector<rl::Episode> take() { return std::exchange(ended_, {}); }

 private:
  std::vector<rl::Episode> ended_;
};

// The payload of ipc::MessageKind::played.
std::string payload_of(std::span<const rl::Episode> episodes);
// nullopt for what no process sends that has played so many frames.
std::optional<std::vector<rl::Episode>> episodes_of(const std::string& payload,
                                                    std::int64_t frames);

// The refusal of shared memory that is smaller than the settings need.
Error other_memory();

// Used by one thread. Ends this process when the training has ended.
class ActorProcess {
 public:
  // What this process has to do.
  struct Task {
    trainers::TrainingJob job;
    int index = 0;
    int starts = 0;          // processes that had the index before
    std::int64_t steps = 0;  // of each environment by then
    std::string state;       // see state_of(); empty: new environments
    bool away = false;       // on another host: only slots and published weights are copied there
  };
  // Connects to the training by the descriptors that `hone-train NAME --serve` names.
  static Result<std::unique_ptr<ActorProcess>> make(std::string_view trainer, int socket,
                                                    int memory);

  [[nodiscard]] const Task& task() const { return task_; }
  [[nodiscard]] std::span<std::byte> memory() const { return memory_.bytes(); }
  // The index of the first environment of this process, which has `each` of `all`; a replacement
  // has others than the first process.
  [[nodiscard]] std::uint64_t first_environment(int each, int all) const;

  // Waits for the next grant and returns its steps; 0 when the phase is over.
  int claim();
  [[nodiscard]] std::uint32_t slot() const { return slot_; }  // of the last grant
  // `bytes` of the slot are written.
  void send_played(std::uint32_t slot, std::int64_t bytes, std::string episodes);
  void send_parked(std::string state);

  // Of a process that is away, to its trainer (PoolPhase::hear). ask() waits for the answer.
  void tell(std::string payload);
  ipc::Message ask(std::int64_t number);

 private:
  ActorProcess(ipc::Channel channel, ipc::SharedMemory memory, Task task)
      : channel_(std::move(channel)), memory_(std::move(memory)), task_(std::move(task)) {}
  ipc::Message receive();
  void send(const ipc::Message& message);

  ipc::Channel channel_;
  ipc::SharedMemory memory_;
  Task task_;
  std::deque<ipc::Message> grants_;
  std::uint32_t slot_ = 0;
};

}  // namespace hone::actors
