// libtorch in a shared object of its own, loaded when somebody asks for it: that takes half a
// second.
#pragma once

#include "base/result.hpp"

namespace hone::trainers {

// A function that the module offers under that name. Refuses where hone was built or installed
// without it. `who` needs it, as a sentence begins: "backends torch and cuda need".
// Call while there is one thread.
Result<void*> torch_function(const char* name, const char* who);

}  // namespace hone::trainers
