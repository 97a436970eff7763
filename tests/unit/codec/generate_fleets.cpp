#include "tests/unit/codec/generate.hpp"

namespace hone {

std::vector<EventBody> Generator::one_of_each_event() {
  auto events = sweep_events(), fleets = fleet_events();
  // Code, evaluations, steps, expected values: EventBody has them behind those of fleets.
  constexpr auto later = 4;
  events.insert(events.end() - later, std::make_move_iterator(fleets.begin()),
                std::make_move_iterator(fleets.end()));
  return events;
}

std::vector<EventBody> Generator::fleet_events() {
  return {
      FleetSet{id<FleetTag>(), any_text(), any_text(), fleet_spec(), id<TokenTag>()},
      FleetSteered{id<FleetTag>(), word<FleetState>(), any_text()},
      FleetDecided{id<FleetTag>(), small(0, 9), word<FleetRule>(), any_text()},
      PilotWanted{id<PilotTag>(), id<FleetTag>(), word<FleetRule>(), any_text()},
      PilotSeen{id<PilotTag>(), id<FleetTag>(), word<PilotState>(), any_text(), any_text()},
      PilotCanceled{id<PilotTag>(), id<FleetTag>(), word<FleetRule>()},
      PilotEnded{id<PilotTag>(), id<FleetTag>(), word<FleetRule>(), any_text()},
  };
}

std::optional<KeptSlots> Generator::maybe_kept_slots() {
  if (coin()) return std::nullopt;
  return KeptSlots{id<WorkerTag>(), small(1, 64), instant()};
}

}  // namespace hone
