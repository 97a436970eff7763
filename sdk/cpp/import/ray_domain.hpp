// One entry of a search space of Ray Tune.
#pragma once

#include <string>
#include <vector>

#include "sdk/cpp/import/draft.hpp"

namespace hone {

struct RayDomain {
  enum class Kind {
    constant,
    sampled,
    grid,    // of `size` values
    nested,  // an object of entries
    code     // Python, as in sample_from
  };
  Kind kind = Kind::constant;
  Translated translated{};
  double size = 1;
};

// Reads {grid_search: [...]}, "tune.loguniform(1e-5, 0.1)", {tune.loguniform: [1e-5, 0.1]}, {space:
// loguniform, lower: 1e-5, upper: 0.1} and constants. Rejects a distribution without its bounds.
Result<RayDomain> ray_domain(const Json& entry, const std::string& at,
                             std::vector<Untranslated>& lost);

}  // namespace hone
