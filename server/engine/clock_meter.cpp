#include "server/engine/clock_meter.hpp"

#include "schemas/types/event.hpp"

namespace hone {

void ClockMeter::happened(const EventBody& event) {
  if (const auto* given = std::get_if<VerdictGiven>(&event)) {
    if (given->verdict.action == Action::stop) counters_.stops.add(given->verdict.reason);
  } else if (const auto* returned = std::get_if<RunReturned>(&event)) {
    counters_.returns.add(returned->reason);
    if (returned->failure != Failure::none) counters_.failures.add(returned->failure);
  } else if (const auto* ended = std::get_if<RunEnded>(&event)) {
    if (ended->failure != Failure::none) counters_.failures.add(ended->failure);
  }
}

}  // namespace hone
