// libtorch in a separate shared object, loaded on demand, because that takes half a second.
#pragma once

#include "base/result.hpp"

namespace hone::trainers {

// The function of that name in the module. Refuses if hone was built or installed without it; `who`
// begins the sentence: "backends torch and cuda need". Call before other threads start.
Result<void*> torch_function(const char* name, const char* who);

}  // namespace hone::trainers
