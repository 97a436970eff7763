// Waiting that Ctrl-C ends.
#pragma once

#include "schemas/types/instant.hpp"

namespace hone::cli {

// True when SIGINT or SIGTERM came within the time. Outside of this call both do what they always
// do.
bool interrupted_within(Duration time);

}  // namespace hone::cli
