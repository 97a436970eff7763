// Settings of a training process: one thread for arithmetic, and an allocator that keeps its
// memory.
#pragma once

namespace hone::trainers {

// Call first in main, before other threads start.
void tune_process();

}  // namespace hone::trainers
