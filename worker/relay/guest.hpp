// A guest of a training: an actor on this host, whose process has the same sockets and memory as
// one on the host of the training.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <zmq.hpp>

#include "worker/relay/rendezvous.hpp"
#include "worker/relay/wire.hpp"
#include "worker/train/ipc/channel.hpp"
#include "worker/train/ipc/shared_memory.hpp"

namespace hone::relay {

// Why a guest stopped.
enum class GuestEnd {
  finished,  // the training has ended
  silent,    // nothing was heard from it
  broken,    // its actor cannot play on this host, or its messages are not those of a training
  stopped,   // the stop was requested
};

// The process of an actor. It ends with the object, and with the thread that made it.
class LocalActor {
 public:
  static Result<std::unique_ptr<LocalActor>> start(const Assignment& assignment);
  LocalActor(const LocalActor&) = delete;
  LocalActor& operator=(const LocalActor&) = delete;
  ~LocalActor();

  [[nodiscard]] int descriptor() const { return channel_.descriptor(); }
  bool send(const ipc::Message& message) { return channel_.send(message); }
  void publish(const Frame& weights);
  // Blocks. The frame for the training, without its seat; nullopt: the process has ended.
  std::optional<Frame> receive();
  [[nodiscard]] bool has_played() const { return has_played_; }

 private:
  LocalActor(const Assignment& assignment, ipc::SharedMemory memory, ipc::Channel channel);

  Assignment assignment_;
  ipc::SharedMemory memory_;
  ipc::SharedParameters parameters_;
  ipc::Channel channel_;
  pid_t pid_ = -1;
  bool has_played_ = false;
};

// Used by one thread.
class Guest {
 public:
  // Connects, which the training notices later. Throws zmq::error_t.
  Guest(const Rendezvous& rendezvous, std::function<void(const std::string&)> say);

  // Plays until one of the ends.
  GuestEnd play(const std::stop_token& stop);
  [[nodiscard]] bool was_heard() const { return was_heard_; }

 private:
  using Clock = std::chrono::steady_clock;
  void send(const Frame& frame);
  std::optional<GuestEnd> hear();
  std::optional<GuestEnd> obey(const Frame& frame);
  std::optional<GuestEnd> begin(const Frame& frame);
  std::optional<GuestEnd> pass_on();

  std::function<void(const std::string&)> say_;  // for people
  zmq::context_t context_;
  zmq::socket_t socket_;
  std::unique_ptr<LocalActor> actor_;
  std::uint64_t seat_ = 0;
  Clock::time_point heard_{};
  bool was_heard_ = false;
};

}  // namespace hone::relay
