// What a training process asks of its host: one thread for arithmetic, and an allocator that keeps
// its memory.
#pragma once

namespace hone::trainers {

// Call first in main, while there is one thread.
void tune_process();

}  // namespace hone::trainers
