// What `hone-train --backends` prints: on what networks can be computed here.
#pragma once

#include <string>

namespace hone::trainers {

// A line for each backend: its name, and "yes", which instructions it uses, or "no: " with the
// reason. Opens libtorch where it is installed, which takes half a second; call with one thread.
std::string backends_text();

}  // namespace hone::trainers
