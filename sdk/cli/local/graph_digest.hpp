// A sweep that places a graph names the graph it was submitted for.
#pragma once

#include "base/result.hpp"
#include "schemas/codec/json.hpp"

namespace hone::cli {

// Where the sweep fixes the graph of the trainer `placement`: adds its digest, which the lineage
// keeps and every run compares, and makes a file's path absolute, for workers run elsewhere. Other
// sweeps are left alone. Refuses a graph that cannot be read.
Status name_graph(Json& sweep);

}  // namespace hone::cli
