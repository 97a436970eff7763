// Messages between a training and a process that plays for it, over a pair of sockets. Large arrays
// are in memory that both map; a message says where they are complete.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/files.hpp"

namespace hone::ipc {

enum class MessageKind : std::uint32_t {
  begin,    // to the process: its task, as JSON
  grant,    // to it: `number` steps to play, whose results go to the slot
  park,     // to it: the phase is over
  played,   // from it: the steps of the slot are played, in its first `number` bytes; payload: the
            // Episode of each that ended
  parked,   // from it: its environments between two phases, as JSON
  refused,  // to it, on another host: what it sent is not what an actor plays
  tell,     // from it, on another host: `number` and payload are for its trainer
  ask,      // likewise, and the trainer answers
  answer,   // to it
};

struct Message {
  MessageKind kind = MessageKind::begin;
  std::uint32_t slot = 0;
  std::int64_t number = 0;
  std::string payload;
};

// One end of the pair. Used by one thread.
class Channel {
 public:
  explicit Channel(FileHandle socket) : socket_(std::move(socket)) {}

  [[nodiscard]] int descriptor() const { return socket_.fd(); }
  // Both block. False, or nullopt: the other end is closed.
  bool send(const Message& message);
  std::optional<Message> receive();

 private:
  FileHandle socket_;
};

}  // namespace hone::ipc
