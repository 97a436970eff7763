// What a training of `harmony` would hold and write, judged before it starts.
#pragma once

#include "schemas/trainers/settings.hpp"
#include "server/cluster/setup.hpp"

namespace hone::trainers {

// Refuses settings whose checkpoint would be larger than what reads it accepts
// (cluster::harmony_bytes_max), or whose measured speeds would fill the memory, and names the
// setting to lower.
Status check_sizes(const Settings& settings, const cluster::ClusterSetup& setup);

}  // namespace hone::trainers
