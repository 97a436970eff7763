// What differs between the parameters of a run and those of a fork that resumes it.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "schemas/types/value.hpp"

namespace hone {

// Returns the name of the first parameter that differs, appears or vanishes from `before` to
// `after` and is not in `changeable`; nullopt: there is none.
std::optional<std::string> change_beyond(const Params& before, const Params& after,
                                         std::span<const std::string> changeable);

// Gives every number of `params` that differs from that in `before` by rounding alone (1e-9 of it)
// the value in `before`: the conversion to a point and back turns 0.001 into 0.0010000000000000002.
void keep_unchanged(const Params& before, Params& params);
// The same for one value. `before` may be null: the parameter was absent.
void keep_unchanged(const Value* before, Value& value);

}  // namespace hone
