// Which sweep gets the next free slots: weighted fair shares of slot-seconds. Pure arithmetic over
// what each open sweep has used, holds and asks for; time is in the numbers.
//
// Each sweep has used so many slot-seconds for each unit of its weight: its service. The sweep with
// the least is served first. Services grow only while slots are held, so that no sweep with a
// weight waits without an end.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "schemas/types/ids.hpp"

namespace hone {

struct ShareClaim {
  SweepId sweep{};
  double weight = 1;      // above 0
  double service = 0;     // slot-seconds for each unit of weight
  std::int64_t held = 0;  // slots of its live runs
  int needs = 1;          // slots of the run that is to end, for gives_way
  std::int64_t min = 0;   // slots that it gets before sweeps above their own
};

// Seconds by which a held slot counts in advance. Without it, a sweep that is a second behind would
// take every slot of a machine at once and keep them for as long as its runs last.
inline constexpr double lookahead_s = 10;
// Slot-seconds for each unit of weight that a sweep may save by asking for less than its share.
inline constexpr double credit_max = 600;
// How far a running sweep must be ahead to give slots back at the end of a phase: more than the
// start of a process costs.
inline constexpr double yield_lead = 20;
// How far a sweep must be behind all others for a worker to be kept free for its next run.
inline constexpr double reserve_lead = 60;
// By how much a deadline that is at risk multiplies a share, at most: the others keep a part.
inline constexpr double urgency_max = 4;

// The measure by which sweeps are served, least first.
double standing(const ShareClaim& claim);

// Limits what is saved: raises the service of one that is more than credit_max behind all others.
void limit_credit(std::span<ShareClaim> claims);

// Whether a is served before b: those below their minimum first, then by standing, then the older
// sweep.
bool served_before(const ShareClaim& a, const ShareClaim& b);

// Whether a run of `holder`, with its `holder.needs` slots, is to end for `waiting` after its
// phase. A waiting sweep that has not `started`, and so had no slot yet, waits one phase at most.
bool gives_way(const ShareClaim& holder, const ShareClaim& waiting, bool started);

// What a sweep needs to be in time, for its urgency.
struct Pressure {
  double work = 0;   // slot-seconds to come
  double left = 0;   // seconds until its deadline
  double slots = 0;  // that its share gives it
  double all = 0;    // slots of all sweeps together
};

// 1 for a sweep that is in time; else the factor of its weight that makes its fair part of all
// slots the part that it needs: the odds of the needed part against those of the fair one. At most
// urgency_max.
double urgency(const Pressure& pressure);

}  // namespace hone
