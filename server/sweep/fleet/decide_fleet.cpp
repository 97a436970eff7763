// The commands of fleets, and how much work there is for each. server/fleet has the rules.
#include <algorithm>

#include "base/text.hpp"
#include "server/fleet/rules.hpp"
#include "server/sweep/state/rules.hpp"
#include "server/sweep/verdict/finish.hpp"

namespace hone {
namespace {

Status check_fleet(const Book& book, const FleetRequest& request) {
  const FleetSpec& spec = request.spec;
  if (std::ranges::find(engine_names, spec.engine) == engine_names.end())
    return refuse(Code::invalid,
                  "no engine '" + spec.engine + "'; there are local, slurm, ssh and command",
                  "/spec/engine");
  for (const auto& [id, fleet] : book.fleets)
    if (fleet.spec.name == spec.name && id != request.fleet)
      return refuse(Code::conflict, text(id) + " has the name '" + spec.name + "' already",
                    "/spec/name");
  if (!request.fleet) {
    if (book.fleets.size() < live_fleets_max) return Done{};
    return refuse(Code::conflict,
                  "there are " + counted(book.fleets.size(), "fleet") + ", the maximum; stop one");
  }
  const auto found = book.fleets.find(*request.fleet);
  if (found == book.fleets.end())
    return refuse(Code::not_found, "no live fleet " + text(*request.fleet), "/fleet");
  if (found->second.state == FleetState::stopping)
    return refuse(Code::conflict, text(*request.fleet) + " is stopping", "/fleet");
  if (found->second.spec.engine != spec.engine && !found->second.pilots.empty())
    return refuse(Code::conflict,
                  text(*request.fleet) + " has pilots at its engine; stop it and create another",
                  "/spec/engine");
  return Done{};
}

// How many of the sweep's runs could start now.
std::int64_t waiting_runs(const Sweep& sweep) {
  auto waiting = static_cast<std::int64_t>(sweep.queue.size());
  if (sweep.state == SweepState::running) {
    const auto left = proposals_left(sweep);
    const NextAction next = sweep.terminator->next(sweep.history, left > 0);
    switch (next.kind) {
      case NextAction::Kind::propose:
        waiting += left;
        break;
      case NextAction::Kind::promote:
        waiting += static_cast<std::int64_t>(sweep.paused.size());
        break;
      case NextAction::Kind::replicate:
        ++waiting;
        break;
      case NextAction::Kind::wait:
        if (sweep.live_leases == 0 && waiting == 0 && sweep.resting.empty() && left > 0) ++waiting;
        break;
    }
  }
  // The last rule of a sweep trains its winner to the end.
  if (waiting == 0 && sweep.live_leases == 0 && sweep.resting.empty())
    if (const auto last = run_to_finish(sweep, sweep.history))
      waiting = std::ranges::count(sweep.paused, last->trial, &RunId::trial);
  if (const auto most = sweep.spec.limits.concurrency)
    waiting = std::min<std::int64_t>(waiting, *most - sweep.live_leases);
  if (const auto most = sweep.spec.slots.max)
    waiting = std::min(waiting, (*most - sweep.service.held) / least_slots(sweep.spec));
  return std::max<std::int64_t>(waiting, 0);
}

// Where the memory of a pilot's GPUs is not known, its runs share none.
int runs_on_gpus(const ResourcesSpec& run, const FleetSpec& pilot) {
  if (run.gpus > pilot.gpus || run.gpu_memory == 0 || pilot.gpu_memory == 0)
    return pilot.gpus / run.gpus;
  const std::int64_t each = pilot.gpu_memory / run.gpu_memory;
  constexpr std::int64_t most = 1'000'000;  // runs have slots, too
  return static_cast<int>(std::min(pilot.gpus * each / run.gpus, most));
}

int runs_of_step(const ResourcesSpec& run, const FleetSpec& pilot) {
  const auto lacks = [&](const std::string& label) {
    return std::ranges::find(pilot.labels, label) == pilot.labels.end();
  };
  if (std::ranges::any_of(run.labels, lacks)) return 0;
  int runs = pilot.slots / run.cpus;
  if (run.gpus > 0) runs = std::min(runs, runs_on_gpus(run, pilot));
  if (run.memory > 0 && pilot.memory > 0)
    runs = static_cast<int>(std::min<std::int64_t>(runs, pilot.memory / run.memory));
  return runs;
}

// How many runs of the sweep a pilot takes at once, at the step of which it takes fewest; 0: none
// at any step.
int runs_per_pilot(const Sweep& sweep, const FleetSpec& pilot) {
  if (std::holds_alternative<AskTrainer>(sweep.spec.trainer)) return 0;
  int fewest = 0;
  for (int step = 0; step < steps_of(sweep.spec); ++step)
    if (const int each = runs_of_step(resources_of(sweep.spec, step), pilot); each > 0)
      fewest = fewest == 0 ? each : std::min(fewest, each);
  return fewest;
}

std::string seconds_text(Duration time) {
  return number_text(static_cast<double>(time.us) / 1e6) + " s";
}

bool may_train(const Sweep& sweep) {
  return sweep.order == Order::none && sweep.state != SweepState::paused && !is_end(sweep.state);
}

FleetLoad load_of(const Book& book, const Fleet& fleet) {
  FleetLoad load;
  for (const auto& [id, lease] : book.leases) load.busy.insert(lease.worker);
  for (const SweepId id : book.open_sweeps) {
    const Sweep& sweep = book.sweeps.at(id);
    const auto runs = may_train(sweep) ? waiting_runs(sweep) : 0;
    if (runs == 0) continue;
    const int each = runs_per_pilot(sweep, fleet.spec);
    const auto phase = usual_phase_time(sweep);
    const Duration life = fleet.spec.wall - fleet.spec.drain;
    if (each == 0)
      load.detail = "a run of " + text(id) + " needs more than a pilot has";
    else if (phase && *phase > life)
      load.detail = "a phase of " + text(id) + " takes " + seconds_text(*phase) + ", a pilot has " +
                    seconds_text(life) + " for it";
    else
      load.waiting += (runs + each - 1) / each;
  }
  return load;
}

// What the pilots of other fleets, which have not joined or are idle, will take.
std::int64_t promised(const Book& book, const Fleet& but, const FleetLoad& load) {
  std::int64_t pilots = 0;
  for (const auto& [id, fleet] : book.fleets) {
    if (id == but.id) continue;
    for (const auto& [pilot, state] : fleet.pilots)
      if (!state.canceled && (!state.worker || !load.busy.contains(state.worker))) ++pilots;
  }
  return pilots;
}

}  // namespace

Result<Events> decide_set_fleet(const Book& book, const SetFleet& command) {
  const FleetRequest& request = command.request;
  if (book.fleets_by_request.contains(request.request_id)) return Events{};
  if (auto fits = check_fleet(book, request); !fits) return fits.error();
  if (request.fleet)
    return Events{FleetSet{*request.fleet, request.request_id, book.fleets.at(*request.fleet).mark,
                           request.spec, command.by}};
  return Events{FleetSet{FleetId{book.last_fleet + 1}, request.request_id, command.mark,
                         request.spec, command.by}};
}

namespace {

// Of a fleet that is not alive: no events if it has stopped. Refuses one that never was.
Result<Events> nothing_to_stop(const Book& book, FleetId id) {
  if (id.value >= 1 && id.value <= book.last_fleet) return Events{};
  return refuse(Code::not_found, "no fleet " + text(id));
}

}  // namespace

Result<Events> decide_stop_fleet(const Book& book, const StopFleet& command) {
  const auto found = book.fleets.find(command.fleet);
  if (found == book.fleets.end()) return nothing_to_stop(book, command.fleet);
  if (found->second.state == FleetState::stopping) return Events{};
  return Events{FleetSteered{command.fleet, FleetState::stopping, {}}};
}

Result<Events> decide_forget_fleet(const Book& book, const ForgetFleet& command) {
  const auto found = book.fleets.find(command.fleet);
  if (found == book.fleets.end()) return nothing_to_stop(book, command.fleet);
  const Fleet& fleet = found->second;
  if (fleet.state != FleetState::stopping)
    return refuse(Code::conflict, text(fleet.id) + " is not stopping; stop it first, and forget " +
                                      "its pilots only if its engine will never answer again");
  Events events;
  for (const auto& [id, pilot] : fleet.pilots)
    events.push_back(
        PilotEnded{id, fleet.id, FleetRule::stopping,
                   "forgotten by a user; it may still run" +
                       (pilot.handle.empty() ? std::string() : " as " + pilot.handle)});
  events.push_back(FleetSteered{
      fleet.id, FleetState::stopped,
      "a user forgot " + counted(fleet.pilots.size(), "pilot") + " that may still run"});
  return events;
}

Result<Events> decide_reconcile(const Book& book, const Reconcile& command, Instant now) {
  Events events;
  std::int64_t last = book.last_pilot;
  // After a restore, an engine lists pilots of the lost time: no fleet may reuse their numbers.
  for (const FleetNews& one : command.news)
    if (one.listing)
      for (const ListedPilot& row : one.listing->pilots) last = std::max(last, row.pilot.value);
  for (const auto& [id, fleet] : book.fleets) {
    FleetNews news{.fleet = id};
    for (const FleetNews& one : command.news)
      if (one.fleet == id) news = one;
    FleetLoad load = load_of(book, fleet);
    load.waiting = std::max<std::int64_t>(0, load.waiting - promised(book, fleet, load));
    for (EventBody& event : reconcile(fleet, news, load, PilotId{last}, now)) {
      if (const auto* wanted = std::get_if<PilotWanted>(&event))
        last = std::max(last, wanted->pilot.value);
      events.push_back(std::move(event));
    }
  }
  return events;
}

std::optional<PilotSeen> joining_pilot(const Book& book, const std::string& token) {
  const auto shown = parse_pilot_token(token);
  if (!shown || shown->pilot.value > book.last_pilot) return std::nullopt;
  for (const auto& [id, fleet] : book.fleets)
    if (fleet.mark == shown->mark)
      return PilotSeen{shown->pilot, id, PilotState::running, {}, "its worker has joined"};
  return std::nullopt;
}

void fold_fleet(Book& book, const EventBody& body, Instant at) {
  std::visit(
      [&](const auto& e) {
        using E = std::decay_t<decltype(e)>;
        if constexpr (IsOfFleet<E>) {
          evolve_fleet(book.fleets[e.fleet], body, at);
          if constexpr (std::is_same_v<E, FleetSet>) {
            book.fleets_by_request.emplace(e.request_id, e.fleet);
            book.last_fleet = std::max(book.last_fleet, e.fleet.value);
          } else if constexpr (std::is_same_v<E, FleetSteered>) {
            if (e.state == FleetState::stopped) book.fleets.erase(e.fleet);
          } else if constexpr (!std::is_same_v<E, FleetDecided>) {
            book.last_pilot = std::max(book.last_pilot, e.pilot.value);
          }
        }
      },
      body);
}

}  // namespace hone
