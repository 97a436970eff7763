// The output of `hone-train --backends`: the backends for networks that work on this machine.
#pragma once

#include <string>

namespace hone::trainers {

// A line for each backend: its name, a tab, and "yes", its instruction set, or "no: " with the
// reason. Loads libtorch if it is installed, which takes half a second. Call before other threads
// start.
std::string backends_text();

}  // namespace hone::trainers
