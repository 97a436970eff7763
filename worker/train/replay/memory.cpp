#include "worker/train/replay/memory.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace hone::replay {
namespace {

const std::uint8_t* bytes_of(const float* row) {
  return reinterpret_cast<const std::uint8_t*>(row);
}

void put_bytes(std::vector<std::uint64_t>& words, std::size_t at, const std::uint8_t* bytes,
               std::size_t count) {
  if (count == 0) return;  // an empty vector may have no storage
  std::memcpy(reinterpret_cast<std::uint8_t*>(words.data()) + at, bytes, count);
}

const std::uint8_t* packed_bytes(const std::vector<std::uint64_t>& words) {
  return reinterpret_cast<const std::uint8_t*>(words.data());
}

std::size_t words_for(std::size_t bytes) {
  return (bytes + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
}

}  // namespace

Memory::Memory(const MemoryShape& shape, Index& index)
    : shape_(shape), index_(index), lanes_(shape.lanes) {
  assert(shape.lane_slots() >= shape.lane_slots_min());
  const auto slots = shape.lane_slots() * shape.lanes;
  frames_ = std::make_unique_for_overwrite<std::uint8_t[]>(slots * shape.frame_bytes());
  marks_.resize(slots, frame_only);
  actions_.resize(slots * shape.numbers);
  rewards_.resize(slots);
}

std::size_t Memory::slot_before(std::size_t slot, std::size_t count) const {
  const auto each = shape_.lane_slots();
  const auto first = slot / each * each;
  return first + (slot - first + each - count) % each;
}

std::size_t Memory::slot_after(std::size_t slot, std::size_t count) const {
  const auto each = shape_.lane_slots();
  const auto first = slot / each * each;
  return first + (slot - first + count) % each;
}

// The next slot of the lane. What depends on its old contents can no longer be drawn: its own step,
// and the step whose stack begins with its frame.
std::size_t Memory::claim(std::size_t lane) {
  auto& ring = lanes_[lane];
  const auto each = shape_.lane_slots();
  const auto slot = lane * each + ring.head;
  const auto oldest = slot_after(slot, shape_.history - 1);
  for (const auto stale : {slot, oldest}) {
    if ((marks_[stale] & drawable) == 0) continue;
    marks_[stale] &= static_cast<std::uint8_t>(~drawable);
    index_.remove(stale);
  }
  ring.head = (ring.head + 1) % each;
  ring.used = std::min<std::uint64_t>(ring.used + 1, each);
  return slot;
}

// Adds a slot that has only a frame: one plane of a stack, or the whole row.
void Memory::add_frame(std::size_t lane, const float* row, std::size_t plane) {
  const auto slot = claim(lane);
  auto* frame = &frames_[slot * shape_.frame_bytes()];
  marks_[slot] = frame_only;
  if (shape_.history == 1) {
    std::memcpy(frame, row, shape_.row);
    return;
  }
  const auto* bytes = bytes_of(row) + plane;
  for (std::size_t pixel = 0; pixel < shape_.pixels; ++pixel, bytes += shape_.history)
    frame[pixel] = *bytes;
}

void Memory::begin(std::size_t lane, const float* row) {
  cut(lane);
  for (std::size_t plane = 0; plane + 1 < shape_.history; ++plane) add_frame(lane, row, plane);
  lanes_[lane].follows = 1;
}

// Whether all frames of the stack but the newest are those of the slots before.
bool Memory::continues(std::size_t lane, const float* row) const {
  const auto& ring = lanes_[lane];
  if (ring.follows == 0) return false;
  const auto head = lane * shape_.lane_slots() + ring.head;
  for (std::size_t plane = 0; plane + 1 < shape_.history; ++plane) {
    const auto slot = slot_before(head, shape_.history - 1 - plane);
    const auto* frame = &frames_[slot * shape_.frame_bytes()];
    const auto* bytes = bytes_of(row) + plane;
    for (std::size_t pixel = 0; pixel < shape_.pixels; ++pixel)
      if (frame[pixel] != bytes[pixel * shape_.history]) return false;
  }
  return true;
}

void Memory::cut(std::size_t lane) {
  lanes_[lane].pending = 0;
  lanes_[lane].follows = 0;
}

// The oldest `count` of the pending steps may be drawn from now on. `head` is the slot after the
// last of them that is stored. Takes their errors from `errors`.
void Memory::release(std::size_t lane, std::size_t count, std::span<const double>& errors) {
  auto& ring = lanes_[lane];
  const auto head = lane * shape_.lane_slots() + ring.head;
  for (; count > 0; --count, --ring.pending) {
    const auto slot = slot_before(head, ring.pending);
    marks_[slot] |= drawable;
    index_.add(slot);
    if (errors.empty()) continue;
    index_.set_error(slot, errors.front());
    errors = errors.subspan(1);
  }
}

void Memory::append(std::size_t lane, const Experience& experience,
                    std::span<const double> errors) {
  auto& ring = lanes_[lane];
  if (!continues(lane, experience.observation)) begin(lane, experience.observation);
  // The observation of this step is the one after n steps of the oldest that waits.
  if (ring.pending == shape_.steps) release(lane, 1, errors);
  add_frame(lane, experience.observation, shape_.history - 1);
  const auto slot = slot_before(lane * shape_.lane_slots() + ring.head, 1);
  std::copy(experience.action.begin(), experience.action.end(),
            actions_.begin() + static_cast<std::ptrdiff_t>(slot * shape_.numbers));
  rewards_[slot] = experience.reward;
  ++ring.pending;
  switch (experience.ending) {
    case Ending::none:
      marks_[slot] = step;
      return;
    case Ending::terminated:
      marks_[slot] = terminated;
      release(lane, ring.pending, errors);
      return cut(lane);
    case Ending::truncated:
      marks_[slot] = truncated;
      release(lane, ring.pending, errors);
      add_frame(lane, experience.last, shape_.history - 1);
      return cut(lane);
  }
}

void Memory::read_row(std::size_t slot, float* row) const {
  if (shape_.history == 1) {
    std::memcpy(row, &frames_[slot * shape_.row], shape_.row);
    return;
  }
  auto* bytes = reinterpret_cast<std::uint8_t*>(row);
  for (std::size_t plane = 0; plane < shape_.history; ++plane) {
    const auto from = slot_before(slot, shape_.history - 1 - plane);
    const auto* frame = &frames_[from * shape_.frame_bytes()];
    for (std::size_t pixel = 0; pixel < shape_.pixels; ++pixel)
      bytes[pixel * shape_.history + plane] = frame[pixel];
  }
}

Backup Memory::read(std::size_t slot, float* observation, float* next,
                    std::span<float> action) const {
  read_row(slot, observation);
  std::copy_n(actions_.begin() + static_cast<std::ptrdiff_t>(slot * shape_.numbers), shape_.numbers,
              action.begin());
  double reward = 0;
  double discount = 1;
  auto after = slot;
  for (std::size_t i = 0; i < shape_.steps; ++i) {
    const auto mark = marks_[after] & frame_only;
    reward += discount * static_cast<double>(rewards_[after]);
    discount = mark == terminated ? 0 : discount * shape_.gamma;
    if (mark == terminated) break;
    after = slot_after(after, 1);
    if (mark == truncated) break;
  }
  read_row(discount > 0 ? after : slot, next);
  return {static_cast<float>(reward), static_cast<float>(discount)};
}

std::size_t Memory::used_slots() const {
  std::size_t used = 0;
  for (const auto& lane : lanes_) used += lane.used;
  return used;
}

Memory::State Memory::state() const {
  State state;
  const auto used = used_slots();
  state.frames.resize(words_for(used * shape_.frame_bytes()));
  state.marks.resize(words_for(used));
  std::size_t at = 0;
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
    const auto& ring = lanes_[lane];
    const auto first = lane * shape_.lane_slots();
    state.lanes.insert(state.lanes.end(), {ring.head, ring.used, ring.pending, ring.follows});
    put_bytes(state.frames, at * shape_.frame_bytes(), &frames_[first * shape_.frame_bytes()],
              ring.used * shape_.frame_bytes());
    put_bytes(state.marks, at, &marks_[first], ring.used);
    const auto from = static_cast<std::ptrdiff_t>(first);
    const auto to = static_cast<std::ptrdiff_t>(first + ring.used);
    const auto each = static_cast<std::ptrdiff_t>(shape_.numbers);
    state.actions.insert(state.actions.end(), actions_.begin() + from * each,
                         actions_.begin() + to * each);
    state.rewards.insert(state.rewards.end(), rewards_.begin() + from, rewards_.begin() + to);
    at += ring.used;
  }
  return state;
}

bool Memory::restore(const State& state) {
  const auto each = shape_.lane_slots();
  if (state.lanes.size() != 4 * lanes_.size()) return false;
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
    const auto* words = &state.lanes[4 * lane];
    lanes_[lane] = {words[0], words[1], words[2], words[3]};
    const auto& ring = lanes_[lane];
    const bool whole = ring.used == each ? ring.head < each : ring.head == ring.used;
    if (!whole || ring.used > each || ring.pending > std::min(shape_.steps, ring.used) ||
        ring.follows > 1)
      return false;
  }
  const auto used = used_slots();
  if (state.frames.size() != words_for(used * shape_.frame_bytes()) ||
      state.marks.size() != words_for(used) || state.rewards.size() != used ||
      state.actions.size() != used * shape_.numbers)
    return false;
  std::size_t at = 0;
  for (std::size_t lane = 0; lane < lanes_.size(); at += lanes_[lane++].used) {
    const auto first = lane * each;
    const auto count = lanes_[lane].used;
    if (count == 0) continue;
    std::memcpy(&frames_[first * shape_.frame_bytes()],
                packed_bytes(state.frames) + at * shape_.frame_bytes(),
                count * shape_.frame_bytes());
    std::memcpy(&marks_[first], packed_bytes(state.marks) + at, count);
    std::copy_n(state.rewards.begin() + static_cast<std::ptrdiff_t>(at), count,
                rewards_.begin() + static_cast<std::ptrdiff_t>(first));
    std::copy_n(state.actions.begin() + static_cast<std::ptrdiff_t>(at * shape_.numbers),
                count * shape_.numbers,
                actions_.begin() + static_cast<std::ptrdiff_t>(first * shape_.numbers));
  }
  for (std::size_t slot = 0; slot < marks_.size(); ++slot)
    if (index_.contains(slot) != ((marks_[slot] & drawable) != 0)) return false;
  return none_waits_in_index();
}

// A step that waits for its successors is added to the index later, once.
bool Memory::none_waits_in_index() const {
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane)
    for (std::size_t back = 1; back <= lanes_[lane].pending; ++back)
      if (index_.contains(slot_before(lane * shape_.lane_slots() + lanes_[lane].head, back)))
        return false;
  return true;
}

}  // namespace hone::replay
