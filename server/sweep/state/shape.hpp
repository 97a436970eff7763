// What a sweep file says to its rule, for rooms that do not know whole sweeps.
#pragma once

#include "server/search/terminators/terminator.hpp"

namespace hone {

struct SweepSpec;

SweepShape sweep_shape(const SweepSpec& spec);
Replication replication_of(const SweepSpec& spec);

}  // namespace hone
