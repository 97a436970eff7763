#pragma once

namespace hone {

// SweepSubmitted::rules of new sweeps, which says what each of them means.
inline constexpr int rules_now = 7;

// The last rules under which single runs rank by their values alone. Those of a simulated sweep: a
// model of its values would take longer than all the rest.
inline constexpr int rules_by_value = 5;

// The last rules under which an estimate of noisy values takes more trials, and more time.
inline constexpr int rules_earlier_estimate = 6;

}  // namespace hone
