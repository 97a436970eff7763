// The size of a replay memory, and a memory and its index as tensors of a checkpoint.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "worker/train/nn/tensor_file.hpp"
#include "worker/train/replay/memory.hpp"

namespace hone::replay {

// Refuses a memory with too few slots for its lanes, and one of more than 64 GiB.
Status check_size(const MemoryShape& shape);
// By the setting `checkpoint_replay`: yes, no or auto, which keeps memories of up to 128 MiB.
bool kept_in_checkpoints(std::string_view word, const MemoryShape& shape);

// `prefix`: of the names of the tensors.
void put_replay(const Memory& memory, const Index& index, trainers::TensorFile& file,
                const std::string& prefix = "replay.");

// Returns false for a file of another memory, and for one with an action that is not `allowed`. A
// file without a memory leaves both empty: training waits until it has a batch. Precondition: both
// are empty.
bool take_replay(const trainers::TensorFile& file, const std::function<bool(float)>& allowed,
                 Index& index, Memory& memory, const std::string& prefix = "replay.");

}  // namespace hone::replay
