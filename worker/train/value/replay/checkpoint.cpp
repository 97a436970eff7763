#include "worker/train/value/replay/checkpoint.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace hone::replay {
namespace {

// Up to this size `auto` keeps the replay memory in checkpoints: twice as much would exceed what
// the server accepts as one.
constexpr std::size_t checkpoint_bytes_max = std::size_t{128} << 20;
// More than common machines have.
constexpr std::size_t memory_bytes_max = std::size_t{64} << 30;

template <class T>
trainers::Tensor replay_tensor(const char* name, std::vector<T> values) {
  return {name, {values.size()}, std::move(values)};
}

}  // namespace

Status check_size(const MemoryShape& shape) {
  if (shape.lane_slots() < shape.lane_slots_min())
    return refuse(Code::invalid,
                  "replay_size is too small for this number of environments: each needs " +
                      std::to_string(shape.lane_slots_min()) + " frames",
                  "/replay_size");
  if (shape.bytes() > memory_bytes_max)
    return refuse(Code::invalid,
                  "a replay memory of this size takes " + std::to_string(shape.bytes() >> 30) +
                      " GiB; the limit is 64",
                  "/replay_size");
  return Done{};
}

bool kept_in_checkpoints(std::string_view word, const MemoryShape& shape) {
  return word == "yes" || (word == "auto" && shape.bytes() <= checkpoint_bytes_max);
}

void put_replay(const Memory& memory, const Index& index, trainers::TensorFile& file) {
  auto state = memory.state();
  file.tensors.push_back(replay_tensor("replay.lanes", std::move(state.lanes)));
  file.tensors.push_back(replay_tensor("replay.frames", std::move(state.frames)));
  file.tensors.push_back(replay_tensor("replay.marks", std::move(state.marks)));
  file.tensors.push_back(replay_tensor("replay.actions", std::move(state.actions)));
  file.tensors.push_back(replay_tensor("replay.rewards", std::move(state.rewards)));
  file.tensors.push_back(replay_tensor("replay.index", index.save()));
}

bool take_replay(const trainers::TensorFile& file, const std::function<bool(float)>& allowed,
                 Index& index, Memory& memory) {
  const auto words = [&](const char* name) {
    return trainers::find_tensor<std::uint64_t>(file, name);
  };
  const auto* lanes = words("replay.lanes");
  if (lanes == nullptr) return true;
  const auto* frames = words("replay.frames");
  const auto* marks = words("replay.marks");
  const auto* places = words("replay.index");
  const auto* actions = trainers::find_tensor<float>(file, "replay.actions");
  const auto* rewards = trainers::find_tensor<float>(file, "replay.rewards");
  if (frames == nullptr || marks == nullptr || places == nullptr || actions == nullptr ||
      rewards == nullptr)
    return false;
  if (!std::all_of(actions->begin(), actions->end(), allowed)) return false;
  return index.restore(*places) && memory.restore({*lanes, *frames, *marks, *actions, *rewards});
}

}  // namespace hone::replay
