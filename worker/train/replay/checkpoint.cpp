#include "worker/train/replay/checkpoint.hpp"

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
trainers::Tensor replay_tensor(std::string name, std::vector<T> values) {
  return {std::move(name), {values.size()}, std::move(values)};
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

void put_replay(const Memory& memory, const Index& index, trainers::TensorFile& file,
                const std::string& prefix) {
  auto state = memory.state();
  file.tensors.push_back(replay_tensor(prefix + "lanes", std::move(state.lanes)));
  file.tensors.push_back(replay_tensor(prefix + "frames", std::move(state.frames)));
  file.tensors.push_back(replay_tensor(prefix + "marks", std::move(state.marks)));
  file.tensors.push_back(replay_tensor(prefix + "actions", std::move(state.actions)));
  file.tensors.push_back(replay_tensor(prefix + "rewards", std::move(state.rewards)));
  file.tensors.push_back(replay_tensor(prefix + "index", index.save()));
}

bool take_replay(const trainers::TensorFile& file, const std::function<bool(float)>& allowed,
                 Index& index, Memory& memory, const std::string& prefix) {
  const auto words = [&](const char* name) {
    return trainers::find_tensor<std::uint64_t>(file, prefix + name);
  };
  const auto* lanes = words("lanes");
  if (lanes == nullptr) return true;
  const auto* frames = words("frames");
  const auto* marks = words("marks");
  const auto* places = words("index");
  const auto* actions = trainers::find_tensor<float>(file, prefix + "actions");
  const auto* rewards = trainers::find_tensor<float>(file, prefix + "rewards");
  if (frames == nullptr || marks == nullptr || places == nullptr || actions == nullptr ||
      rewards == nullptr)
    return false;
  if (!std::all_of(actions->begin(), actions->end(), allowed)) return false;
  return index.restore(*places) && memory.restore({*lanes, *frames, *marks, *actions, *rewards});
}

}  // namespace hone::replay
