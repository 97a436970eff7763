// Fewer points of a series.
#pragma once

#include <string>

#include "schemas/codec/json.hpp"

namespace hone::api {

// Keeps at most about `most` points of each name in a list of {name, step, value}: every k-th of
// it, and its last. Returns the largest k.
int thin_by_name(Json& points, int most);

}  // namespace hone::api
