// A confirmation: a sweep that trains the leaders of another one again, on seeds that the tuning
// never used. It searches nothing and stops no run.
#include <algorithm>
#include <string>

#include "server/search/seeds/leaders.hpp"
#include "server/sweep/state/rules.hpp"
#include "server/sweep/state/run_seed.hpp"
#include "server/sweep/state/schedule.hpp"

namespace hone {
namespace {

// Beyond the number of every seed of a confirmation (limits::confirm_seeds_max). A further
// confirmation draws its seeds from another stream, so that no seed is trained twice.
constexpr int seeds_end = 1 << 19;

// At most so many bytes of a text, without a part of a character at the end.
std::string shortened(std::string text, std::size_t bytes) {
  while (bytes < text.size() && bytes > 0 &&
         (static_cast<unsigned char>(text[bytes]) & 0xc0U) == 0x80U)
    --bytes;
  text.resize(std::min(bytes, text.size()));
  return text;
}

SweepSpec confirmation_of(const Sweep& sweep, const ConfirmRequest& request, std::size_t trials) {
  SweepSpec spec = sweep.spec;
  spec.name = shortened(sweep.spec.name, 80) + " confirmed";
  spec.search = {std::string(drawing_method), static_cast<std::int64_t>(trials), {}, {}, {}};
  spec.terminator = {std::string(rule_none), {}};
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

// Whether the leaders' schedules count. A sweep replays with what was recorded of it: before rules
// 2 a fork was confirmed with its last parameters.
enum class Schedules : std::uint8_t { trained, left_out };

// Starts the confirmation; without leaders, it starts none. Refuses schedules that are too large.
Status start_confirmation(const Book& book, const Sweep& sweep, const History& history,
                          const ConfirmRequest& request, Schedules schedules, Events& events) {
  auto leaders = find_leaders(history, static_cast<std::size_t>(request.top));
  if (leaders.empty()) return Done{};
  // In the order of the tuned trials, which decides between equal values in both sweeps.
  std::ranges::sort(leaders);
  std::vector<TrialEnqueued> trials;
  std::size_t values = 0;
  const SweepId id{book.last_sweep + 1};
  for (const std::size_t index : leaders) {
    const TrialId trial = sweep.trials.at(index - history.foreign());
    const TrialSchedule schedule = schedules == Schedules::trained
                                       ? schedule_of(book, trial)
                                       : TrialSchedule{find_trial(book, trial)->params, {}};
    values += schedule.later.size() * schedule.first.size();
    if (values > schedule_values_max)
      return refuse(Code::invalid,
                    "the schedules of the leaders have more than " +
                        std::to_string(schedule_values_max) +
                        " values, stages times parameters: confirm fewer of them with --top",
                    "/top");
    trials.push_back({id, text(trial), free_params(sweep.space, schedule.first), trial,
                      std::nullopt, schedule.later});
  }
  events.emplace_back(SweepSubmitted{id, request.request_id,
                                     confirmation_of(sweep, request, leaders.size()),
                                     sweep.workflow, sweep.dataset, std::nullopt, sweep.rules});
  for (TrialEnqueued& trial : trials) events.emplace_back(std::move(trial));
  return Done{};
}

}  // namespace

std::optional<SweepId> confirmed_of(const Book& book, SweepId confirmation) {
  for (const auto& [id, sweep] : book.sweeps)
    if (std::ranges::find(sweep.confirmed_by, confirmation) != sweep.confirmed_by.end()) return id;
  return std::nullopt;
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
  // Schedules that are too large are not confirmed unasked: `hone confirm` says why.
  static_cast<void>(start_confirmation(
      book, sweep, history, {request, sweep.spec.confirm->top, sweep.spec.confirm->seeds},
      sweep.rules < 2 ? Schedules::left_out : Schedules::trained, events));
}

Result<Events> decide_confirm(const Book& book, const Confirm& command) {
  const Sweep* sweep = find_sweep(book, command.sweep);
  if (sweep == nullptr) return refuse(Code::not_found, "no sweep " + text(command.sweep));
  if (book.sweeps_by_request.contains(command.request.request_id)) return Events{};
  if (sweep->spec.confirms) {
    const auto confirmed = confirmed_of(book, sweep->id);
    return refuse(Code::conflict,
                  text(sweep->id) + " is itself the confirmation of " +
                      (confirmed ? text(*confirmed) + ": confirm that one"
                                 : "a sweep that is not on this server: import that one first"));
  }
  if (auto fits = check_open_sweeps(book); !fits) return fits.error();
  Events events;
  if (auto fits = start_confirmation(book, *sweep, sweep->history, command.request,
                                     Schedules::trained, events);
      !fits)
    return fits.error();
  if (events.empty())
    return refuse(Code::conflict,
                  "no trial of " + text(sweep->id) + " has a result that could be confirmed yet");
  return events;
}

}  // namespace hone
