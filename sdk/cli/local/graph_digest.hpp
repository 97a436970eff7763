// Identifies the graph of a sweep that places one.
#pragma once

#include "base/result.hpp"
#include "schemas/codec/json.hpp"

namespace hone::cli {

// If the sweep fixes the graph of the trainer `placement`: adds its digest, which the lineage
// records and every run compares, and makes a file's path absolute, because workers run in other
// folders. Does not change other sweeps. Rejects a graph that cannot be read.
Status name_graph(Json& sweep);

}  // namespace hone::cli
