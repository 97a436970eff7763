// What a training and its guests send each other, as bytes of one ZeroMQ message each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "worker/train/ipc/channel.hpp"
#include "worker/train/ipc/shared_layout.hpp"

namespace hone::relay {

// Both sides have the same. Increase it with every change of what is sent, or of what a slot holds.
constexpr std::uint32_t protocol = 3;

enum class FrameKind : std::uint32_t {
  hello,    // from a guest: it has nothing to play
  assign,   // to it: it is an actor now; body: Assignment
  weights,  // to it: publication `number`; body: the floats
  message,  // both ways: an ipc::Message; body: of `played`, the first `number` bytes of the slot;
            // then the payload
  release,  // to it: it is no actor any more
  left,     // from it: its actor has ended
  beat,     // both ways, once a second
  bye,      // to it: the training has ended
};

struct Frame {
  FrameKind kind = FrameKind::beat;
  std::uint64_t seat = 0;  // an assignment's; what concerns an earlier one is ignored
  ipc::MessageKind message = ipc::MessageKind::begin;  // of FrameKind::message
  std::uint32_t slot = 0;
  std::int64_t number = 0;
  std::string body{};
};

struct Assignment {
  std::string trainer;
  std::uint64_t index = 0;  // of the actor
  std::uint64_t seats = 1;  // actors of the training
  ipc::SharedLayout layout{};
};

std::string bytes_of(const Frame& frame);
// nullopt for bytes that bytes_of() of this protocol does not return.
std::optional<Frame> frame_of(std::string_view bytes);
// What bytes_of() adds to a body.
std::size_t header_bytes();

std::string body_of(const Assignment& assignment);
// nullopt for another text, and for a layout whose parts are not inside the memory.
std::optional<Assignment> assignment_of(std::string_view body);

// Whether the parts of the layout lie inside memory of a size that a guest would give.
bool is_sound(const ipc::SharedLayout& layout, std::uint64_t seats);

}  // namespace hone::relay
