// Where the parts of a training's shared memory are, for a program that copies them elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace hone::ipc {

// What a training says to that program instead of the index of an actor. One that closes the socket
// without it was killed, and may continue.
constexpr std::int32_t training_ended = -1;

struct SharedLayout {
  std::uint64_t bytes = 0;        // of the whole memory
  std::uint64_t parameters = 0;   // where SharedParameters begin
  std::uint64_t floats = 0;       // of a publication
  std::uint64_t first_slot = 0;   // where the first slot of the first process begins
  std::uint64_t slot_stride = 0;  // from one slot to the next
  std::uint64_t slot_bytes = 0;   // that a process writes at most
  std::uint64_t slots = 0;        // of each process

  [[nodiscard]] std::span<std::byte> slot(std::span<std::byte> memory, std::uint64_t process,
                                          std::uint64_t index) const {
    return memory.subspan(first_slot + (process * slots + index) * slot_stride, slot_bytes);
  }
};

}  // namespace hone::ipc
