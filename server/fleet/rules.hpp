// The rules of a fleet: how many pilots it wants, which of those at its engine are its own, when it
// cancels one, and how long it waits after failures. Pure: every decision is a list of events.
#pragma once

#include "schemas/types/event.hpp"
#include "server/fleet/fleet.hpp"

namespace hone {

// Decides about one fleet after a report of its engine. `last` is the newest pilot of all fleets.
std::vector<EventBody> reconcile(const Fleet& fleet, const FleetNews& news, const FleetLoad& load,
                                 PilotId last, Instant now);

// Folds an event of this fleet or of one of its pilots. Total: ignores every other event.
void evolve_fleet(Fleet& fleet, const EventBody& body, Instant at);

// The worker of a pilot has joined: it lives.
void pilot_joined(Fleet& fleet, PilotId pilot, WorkerId worker, Instant at);

// What the engine is to do now: submissions are those recorded by the newest decision.
FleetOrder order_of(const Fleet& fleet);

// The wait after so many failures in a row: 5 s to 1 min, then 15, 30 and 60 min for one probe.
Duration back_off(int failures);
inline constexpr std::size_t live_fleets_max = 32;  // each is decided about once a second
inline constexpr int failures_before_probe = 5;
// An engine that takes no more jobs of an account is asked for one more after this time.
inline constexpr Duration limit_wait = seconds(600);

}  // namespace hone
