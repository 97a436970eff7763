// A confirmation: a sweep that trains the leaders of another one again, on seeds that the tuning
// never used. It searches nothing and stops no run.
#include <algorithm>
#include <string>

#include "server/search/seeds/leaders.hpp"
#include "server/sweep/rules.hpp"
#include "server/sweep/run_seed.hpp"

namespace hone {
namespace {

// Beyond the number of every seed of a confirmation (limits::confirm_seeds_max). A further
// confirmation draws its seeds from another stream, so that no seed is trained twice.
constexpr int seeds_end = 1 << 19;

SweepSpec confirmation_of(const Sweep& sweep, const ConfirmRequest& request, std::size_t trials) {
  SweepSpec spec = sweep.spec;
  spec.name = sweep.spec.name.substr(0, 80) + " confirmed";
  spec.search = {"random", static_cast<std::int64_t>(trials), {}, {}, {}};
  spec.terminator = {"none", {}};
  spec.seeds = request.seeds;
  spec.replicates.max = 0;
  spec.replicates.race = false;
  spec.replicates.aggregate = Aggregate::iqm;
  spec.confirm.reset();
  spec.confirms = sweep.id;
  if (const auto earlier = static_cast<int>(sweep.confirmed_by.size()); earlier > 0)
    spec.seed = confirm_seed(sweep.spec.seed, sweep.id, seeds_end + earlier);
  spec.limits.duration.reset();  // it applies to the tuning
  return spec;
}

// The values of the free parameters, which a user could enqueue.
Params free_params(const SearchSpace& space, const Params& params) {
  Params free;
  for (const Dimension& dimension : space.dimensions())
    if (const Value* value = find(params, dimension.name)) free.push_back({dimension.name, *value});
  return free;
}

}  // namespace

void confirm_sweep(const Book& book, const Sweep& sweep, const History& history,
                   const ConfirmRequest& request, Events& events) {
  const auto leaders = find_leaders(history, static_cast<std::size_t>(request.top));
  if (leaders.empty()) return;
  const SweepId id{book.last_sweep + 1};
  events.emplace_back(SweepSubmitted{id, request.request_id,
                                     confirmation_of(sweep, request, leaders.size()),
                                     sweep.workflow, sweep.dataset, std::nullopt, sweep.rules});
  for (const std::size_t index : leaders) {
    const TrialId trial = sweep.trials.at(index - history.foreign());
    events.emplace_back(TrialEnqueued{
        id, text(trial), free_params(sweep.space, find_trial(book, trial)->params), trial});
  }
}

void confirm_if_asked(const Book& book, const Sweep& sweep, const History& history,
                      Events& events) {
  if (!sweep.spec.confirm) return;
  const auto* end = std::get_if<SweepEnded>(&events.back());
  const bool canceled = end == nullptr || end->reason == EndReason::user_cancel ||
                        end->reason == EndReason::user_kill ||
                        end->reason == EndReason::failure_limit;
  if (canceled) return;
  std::string request = "confirm " + text(sweep.id);
  // A sweep that was continued is confirmed again, with its new leaders.
  if (book.sweeps_by_request.contains(request))
    request += " of " + std::to_string(sweep.trials.size());
  confirm_sweep(book, sweep, history, {request, sweep.spec.confirm->top, sweep.spec.confirm->seeds},
                events);
}

Result<Events> decide_confirm(const Book& book, const Confirm& command) {
  const Sweep* sweep = find_sweep(book, command.sweep);
  if (sweep == nullptr) return refuse(Code::not_found, "no sweep " + text(command.sweep));
  if (book.sweeps_by_request.contains(command.request.request_id)) return Events{};
  if (sweep->spec.confirms)
    return refuse(Code::conflict, text(sweep->id) + " is itself the confirmation of " +
                                      text(sweep->spec.confirms) + ": confirm that one");
  if (is_population(sweep->spec))
    return refuse(Code::conflict, text(sweep->id) +
                                      " is a population: its parameters changed while it trained, "
                                      "and hone cannot train such a schedule again yet");
  if (auto fits = check_open_sweeps(book); !fits) return fits.error();
  Events events;
  confirm_sweep(book, *sweep, sweep->history, command.request, events);
  if (events.empty())
    return refuse(Code::conflict,
                  "no trial of " + text(sweep->id) + " has a result that could be confirmed yet");
  return events;
}

}  // namespace hone
