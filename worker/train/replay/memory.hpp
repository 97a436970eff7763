// A replay memory: the last steps of several environments, from which transitions over n steps are
// drawn. Every environment has a lane, a ring of slots; a slot has one observation, and the action
// and reward that followed. The observation after a step is that of the next slot, so it is stored
// once. An episode that was truncated has one more slot for its last observation.
//
// Stacks of frames share their frames: a slot has the newest frame, and the first slots of an
// episode have only frames. A million steps of Atari (84 by 84 bytes) take 7.1 GB instead of 56.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "worker/train/replay/index.hpp"
#include "worker/train/rl/returns.hpp"

namespace hone::replay {

using rl::Ending;

struct MemoryShape {
  std::size_t slots = 0;    // of all lanes
  std::size_t lanes = 1;    // environments
  std::size_t row = 4;      // bytes of the row of an observation
  std::size_t history = 1;  // frames of a stack, [pixel][frame], a byte each, the newest last
  std::size_t pixels = 0;   // of a frame, where history > 1
  std::size_t numbers = 1;  // of an action
  std::size_t steps = 1;    // n of the transitions
  double gamma = 0.99;

  [[nodiscard]] std::size_t lane_slots() const { return slots / lanes; }
  [[nodiscard]] std::size_t frame_bytes() const { return history > 1 ? pixels : row; }
  // The fewest slots of a lane: a transition and the slots around it.
  [[nodiscard]] std::size_t lane_slots_min() const { return 2 * (steps + history) + 2; }
  // What the memory takes when it is full, without its index.
  [[nodiscard]] std::size_t bytes() const {
    return slots * (frame_bytes() + numbers * sizeof(float) + sizeof(float) + 1);
  }
};

// A step of an environment.
struct Experience {
  const float* observation = nullptr;
  std::span<const float> action;
  float reward = 0;
  Ending ending = Ending::none;
  const float* last = nullptr;  // truncated: the last observation of the episode
};

// What a transition adds to its target: reward + discount * value of the next observation.
struct Backup {
  float reward = 0;    // of n steps, discounted, or of those up to the end of the episode
  float discount = 0;  // gamma^n; 0: the episode has ended
};

class Memory {
 public:
  // Keeps in `index` which slots may be drawn. Precondition: lane_slots() >= lane_slots_min().
  Memory(const MemoryShape& shape, Index& index);

  // `errors`: of the transitions that the step completes, oldest first; those without one get the
  // largest priority so far.
  void append(std::size_t lane, const Experience& step, std::span<const double> errors = {});
  // The next step of the lane does not continue the last one: transitions that need it are dropped.
  void cut(std::size_t lane);

  // Writes the rows of the observations before and after a transition, and its action. `next`
  // receives the observation before it if the discount is 0. Precondition: the index has the slot.
  Backup read(std::size_t slot, float* observation, float* next, std::span<float> action) const;

  // For checkpoints: all that append() and read() depend on.
  struct State {
    std::vector<std::uint64_t> lanes;   // [lane][4]
    std::vector<std::uint64_t> frames;  // bytes, the used slots lane by lane, padded with zeros
    std::vector<std::uint64_t> marks;   // bytes, likewise
    std::vector<float> actions, rewards;
  };
  [[nodiscard]] State state() const;
  // Returns false for a state of another memory, and if the index has other slots than those that
  // could be drawn then. Precondition: the index is restored.
  bool restore(const State& state);

 private:
  enum Mark : std::uint8_t {
    step = 0,
    terminated = 1,
    truncated = 2,
    frame_only = 3,
    drawable = 4
  };
  struct Lane {
    std::uint64_t head = 0;     // the next slot to write
    std::uint64_t used = 0;     // slots
    std::uint64_t pending = 0;  // steps before head that wait for their nth successor
    std::uint64_t follows = 0;  // 1: the next step continues the one before
  };

  [[nodiscard]] std::size_t slot_before(std::size_t slot, std::size_t count) const;
  [[nodiscard]] std::size_t slot_after(std::size_t slot, std::size_t count) const;
  std::size_t claim(std::size_t lane);
  void add_frame(std::size_t lane, const float* row, std::size_t plane);
  void begin(std::size_t lane, const float* row);
  [[nodiscard]] bool continues(std::size_t lane, const float* row) const;
  void release(std::size_t lane, std::size_t count, std::span<const double>& errors);
  void read_row(std::size_t slot, float* row) const;
  [[nodiscard]] std::size_t used_slots() const;
  [[nodiscard]] bool none_waits_in_index() const;

  MemoryShape shape_;
  Index& index_;
  std::vector<Lane> lanes_;
  // Not initialised: the system provides its pages when they are first written.
  std::unique_ptr<std::uint8_t[]> frames_;
  std::vector<std::uint8_t> marks_;
  std::vector<float> actions_, rewards_;
};

}  // namespace hone::replay
