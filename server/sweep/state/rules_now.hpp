#pragma once

namespace hone {

// SweepSubmitted::rules of new sweeps, which says what each of them means.
inline constexpr int rules_now = 5;

}  // namespace hone
