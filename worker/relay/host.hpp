// The training's side of its guests: hands the actors of a training to them, and what they played
// to the training.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>
#include <zmq.hpp>

#include "base/files.hpp"
#include "worker/relay/curve.hpp"
#include "worker/relay/rendezvous.hpp"
#include "worker/relay/timing.hpp"
#include "worker/relay/wire.hpp"
#include "worker/train/ipc/channel.hpp"
#include "worker/train/ipc/shared_memory.hpp"

namespace hone::relay {

struct HostPlan {
  std::filesystem::path rendezvous;  // the file to write
  std::string address;  // of this host, as guests reach it; numeric: listens there alone
  std::string trainer;
  FileHandle control;  // from Guests of the training: actors to hand out; to it: guests that wait
  ipc::SharedMemory memory;
  ipc::SharedLayout layout{};
  std::uint64_t seats = 1;
  std::chrono::milliseconds patience = play_max;  // with a guest that plays nothing
};

// Used by one thread.
class Host {
 public:
  // Listens, and writes the file of the rendezvous. Throws zmq::error_t.
  static Result<std::unique_ptr<Host>> open(HostPlan plan);
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;
  ~Host();

  // Returns when the training has ended and its guests have been told, or when it was killed: then
  // they look for it at the same file.
  void run();

 private:
  using Clock = std::chrono::steady_clock;
  enum class State { training, ended, lost };
  struct Guest {
    Clock::time_point heard;              // its last frame
    std::optional<std::uint64_t> seat{};  // key of seats_
  };
  // An actor of the training that a guest plays.
  struct Seat {
    std::uint64_t number = 0;  // its key
    std::uint64_t index = 0;   // of the actor
    std::string guest;         // key of guests_; empty: it has gone
    std::unique_ptr<ipc::Channel> channel{};
    std::jthread reader{};           // of what the training sends
    std::uint64_t publication = 0;   // of the weights that the guest has
    Clock::time_point sent{};        // they were
    int owed = 0;                    // messages of the training that the guest has not answered
    Clock::time_point owed_since{};  // or since it answered one of them
    bool parks = false;              // the guest is to send the states of its environments
  };

  explicit Host(HostPlan plan);
  void poll_once();
  void give(std::uint64_t index, FileHandle socket);
  void from_training();
  void from_guests();
  void hear(const std::string& name, const Frame& frame);
  bool take(Seat& seat, const Frame& frame);
  void lose(const std::string& name);
  void expel(const std::string& name, const char* why);
  void say_expelled(const std::string& name, const char* why) const;
  void tick();
  void report();
  void send(const std::string& guest, const Frame& frame);
  void send_bytes(const std::string& guest, zmq::const_buffer bytes);
  void send_weights(Seat& seat);
  [[nodiscard]] std::int32_t waiting() const;

  HostPlan plan_;
  ipc::SharedParameters parameters_;
  std::vector<float> weights_;  // room for one publication
  zmq::context_t context_;
  std::unique_ptr<Doorman> doorman_;
  zmq::socket_t guests_socket_, training_socket_;
  std::map<std::string, Guest> guests_;  // by their identity
  std::map<std::uint64_t, Seat> seats_;  // by a number that is never used again
  std::uint64_t next_seat_ = 0;
  std::int32_t reported_ = -1;
  Clock::time_point next_tick_{};
  State state_ = State::training;
};

}  // namespace hone::relay
