#include <algorithm>

#include "server/fleet/rules.hpp"

namespace hone {
namespace {

constexpr std::string_view token_start = "hone-";

struct FleetFolder {
  Fleet& fleet;
  Instant at;

  void operator()(const FleetSet& e) const {
    fleet.id = e.fleet;
    fleet.mark = e.mark;
    fleet.spec = e.spec;
    fleet.state = FleetState::running;
    fleet.failures = 0;
    fleet.failure.clear();
    fleet.limit.reset();
  }
  void operator()(const FleetSteered& e) const { fleet.state = e.state; }
  void operator()(const FleetDecided& e) const {
    if (fleet.want != e.want) fleet.decided_at = at;
    fleet.want = e.want;
    fleet.rule = e.rule;
  }
  void operator()(const PilotWanted& e) const {
    fleet.pilots[e.pilot] = Pilot{.id = e.pilot, .rule = e.rule, .state_at = at};
  }
  void operator()(const PilotSeen& e) const {
    Pilot& pilot = fleet.pilots[e.pilot];
    if (!pilot.id) pilot.rule = FleetRule::adopted;
    pilot.id = e.pilot;
    if (pilot.state != e.state || pilot.state_at == Instant{}) pilot.state_at = at;
    pilot.state = e.state;
    if (!e.handle.empty()) pilot.handle = e.handle;
  }
  void operator()(const PilotCanceled& e) const {
    if (const auto found = fleet.pilots.find(e.pilot); found != fleet.pilots.end())
      found->second.canceled = e.rule;
  }
  void operator()(const PilotEnded& e) const {
    const auto found = fleet.pilots.find(e.pilot);
    if (found == fleet.pilots.end()) return;
    const bool limited = e.rule == FleetRule::limited;
    if (!found->second.worker && !found->second.canceled) {
      fleet.failures += limited ? 0 : 1;
      fleet.failed_at = limited ? fleet.failed_at : at;
      fleet.failure = e.detail;
    }
    fleet.pilots.erase(found);
    if (!limited) return;
    fleet.limit = static_cast<int>(fleet.pilots.size());
    fleet.limited_at = at;
  }
  template <class Other>
  void operator()(const Other&) const {}
};

}  // namespace

void evolve_fleet(Fleet& fleet, const EventBody& body, Instant at) {
  std::visit(FleetFolder{fleet, at}, body);
}

void pilot_joined(Fleet& fleet, PilotId id, WorkerId worker, Instant at) {
  const auto found = fleet.pilots.find(id);
  if (found == fleet.pilots.end()) return;
  Pilot& pilot = found->second;
  if (pilot.state != PilotState::running) pilot.state_at = at;
  pilot.state = PilotState::running;
  pilot.worker = worker;
  fleet.failures = 0;
  fleet.failure.clear();
}

FleetOrder order_of(const Fleet& fleet) {
  FleetOrder order{fleet.id, fleet.mark, fleet.spec};
  for (const auto& [id, pilot] : fleet.pilots) {
    const PilotOrder one{id, pilot_token(fleet.mark, id), pilot.handle,
                         pilot.rule == FleetRule::minimum};
    if (pilot.state == PilotState::wanted && !pilot.canceled) order.submit.push_back(one);
    if (pilot.canceled && !pilot.handle.empty()) order.cancel.push_back(one);
    order.unsure |= pilot.state == PilotState::unknown || pilot.state == PilotState::absent ||
                    pilot.canceled.has_value();
  }
  return order;
}

std::string pilot_token(const std::string& mark, PilotId pilot) {
  return std::string(token_start) + mark + "-" + text(pilot);
}

std::optional<PilotToken> parse_pilot_token(std::string_view text) {
  if (!text.starts_with(token_start)) return std::nullopt;
  text.remove_prefix(token_start.size());
  const auto dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto pilot = parse_pilot_id(text.substr(dash + 1));
  if (!pilot) return std::nullopt;
  return PilotToken{std::string(text.substr(0, dash)), *pilot};
}

}  // namespace hone
