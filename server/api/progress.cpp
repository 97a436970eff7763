#include "server/api/progress.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "db/queries/completed.hpp"
#include "db/queries/overview.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/types/spec.hpp"
#include "server/limits.hpp"
#include "server/search/terminators/phase_forecast.hpp"
#include "server/sweep/state/shape.hpp"

namespace hone::api {

Result<SweepSpec> spec_of(const SweepRow& sweep) {
  const auto document = parse_json(sweep.spec);
  if (!document)
    return refuse(Code::internal, "the stored spec is damaged: " + document.error().detail);
  auto spec = decode_recorded<SweepSpec>(*document);
  if (!spec) return refuse(Code::internal, "the stored spec is damaged: " + spec.error().detail);
  return spec;
}

Result<std::vector<Objective>> objectives_of(const SweepRow& sweep) {
  auto spec = spec_of(sweep);
  if (!spec) return spec.error();
  std::vector<Objective> objectives{spec->objective};
  for (Objective& one : spec->further_objectives) objectives.push_back(std::move(one));
  return objectives;
}

Result<std::unique_ptr<Terminator>> terminator_of(const SweepRow& sweep) {
  const auto spec = spec_of(sweep);
  if (!spec) return spec.error();
  return make_terminator(spec->terminator, sweep_shape(*spec));
}

namespace {

// Most of what was trained could not be paused, so that another rule judges it.
bool is_without_checkpoints(const SweepRow& sweep) {
  return 2 * sweep.phases_unsaved > sweep.phases_done;
}

// Of a sweep whose program saves no checkpoint: what hone plan expected, within what the runs that
// are left can train. nullopt for others.
std::optional<std::int64_t> expected_without_checkpoints(const SweepRow& sweep,
                                                         const SweepSpec& spec,
                                                         std::int64_t unstarted) {
  if (!is_without_checkpoints(sweep)) return std::nullopt;
  const auto forecast = forecast_without_checkpoints(spec.terminator, sweep_shape(spec));
  if (!forecast) return std::nullopt;
  const RunCounts& runs = sweep.runs;
  const std::int64_t left = unstarted + runs.leased + runs.running + runs.paused;
  return std::clamp(forecast->expected, sweep.phases_done + left,
                    sweep.phases_done + left * sweep.phases_per_run);
}

// Of a rule that pauses runs: its plan for all runs but those that failed, until it is exceeded.
// Most runs that wait are never continued. Further seeds are part of the rule's expectation.
std::int64_t expected_with_pauses(const SweepRow& sweep, std::int64_t unstarted, double per_run) {
  const RunCounts& runs = sweep.runs;
  const std::int64_t training = runs.leased + runs.running;
  const std::int64_t started = training + runs.paused + runs.completed + runs.stopped;
  const std::int64_t planned = std::min(unstarted + started, sweep.trials_total * sweep.seeds);
  const double left = static_cast<double>(unstarted) * per_run + static_cast<double>(training);
  return std::llround(std::max(static_cast<double>(planned) * per_run,
                               static_cast<double>(sweep.phases_done) + left));
}

}  // namespace

// Of a sweep whose rule stops no run, every run's phases, while none has ended early. Of rules that
// stop runs the reports made, the rule's expectation for each run that has not started, and half of
// it for each open run. The closed form alone would be exceeded early, because a rule judges its
// first runs mildly.
std::int64_t phases_expected(const SweepRow& sweep) {
  if (is_end(sweep.state)) return sweep.phases_done;
  const RunCounts& runs = sweep.runs;
  const auto to_propose = sweep.state == SweepState::stopping
                              ? 0
                              : (sweep.trials_total - sweep.trials_proposed) * sweep.seeds;
  const auto spec = spec_of(sweep);
  double per_run = sweep.phases_per_run;
  if (spec) {
    // Members and the forks in their places train as many phases as complete runs would.
    if (is_population(*spec))
      return std::max(sweep.phases_done, sweep.trials_total * sweep.phases_per_run);
    if (const auto known = expected_without_checkpoints(sweep, *spec, to_propose + runs.queued))
      return *known;
    if (const auto terminator = make_terminator(spec->terminator, sweep_shape(*spec))) {
      per_run = (*terminator)->expected_phases();
      if ((*terminator)->pauses())
        return expected_with_pauses(sweep, to_propose + runs.queued, per_run);
    }
  }
  const auto open = static_cast<double>(runs.leased + runs.running + runs.paused);
  const bool none_ends_early = per_run >= sweep.phases_per_run &&
                               runs.stopped + runs.failed + runs.canceled == 0 &&
                               sweep.objective.goal != Goal::soonest;
  if (none_ends_early)
    return (to_propose + runs.queued + runs.leased + runs.running + runs.paused + runs.completed) *
           sweep.phases_per_run;
  const auto unstarted = static_cast<double>(to_propose + runs.queued);
  return sweep.phases_done + std::llround((unstarted + open / 2) * per_run);
}

namespace {

// The time, in microseconds, over which the pace of a sweep is measured that has trained so many
// phases by `now`: the newest half of the sweep or ten minutes, but with enough phases that slow
// ones do not make it swing, and no more than can be counted quickly.
double pace_window(const SweepRow& sweep, std::int64_t phases_done, Instant now) {
  const auto age = static_cast<double>(std::max((now - sweep.submitted_at).us, seconds(1).us));
  const double phase = age / static_cast<double>(std::max<std::int64_t>(1, phases_done));
  const double lately = std::min(age / 2, static_cast<double>(limits::pace_time.us));
  return std::min(
      age, std::clamp(lately, limits::pace_reports_min * phase, limits::pace_reports_max * phase));
}

// Of the time in which runs of it trained: a sweep that waited for workers, or had ended, did not
// become slower by that.
double phases_per_s(SQLite::Database& db, SweepId sweep, std::int64_t phases, Instant from,
                    Instant to) {
  const Duration busy = work_time(db, sweep, from, to).busy;
  return static_cast<double>(phases) /
         (static_cast<double>(std::max(busy.us, std::int64_t{1})) / 1e6);
}

void add_pace(SQLite::Database& db, const SweepRow& sweep, Instant now,
              forecast::SweepSoFar& counts) {
  const double window = pace_window(sweep, sweep.phases_done, now);
  const Instant from = now - Duration{static_cast<std::int64_t>(window)};
  const Pace pace = read_pace(db, sweep.id, from);
  counts.phases_per_s = phases_per_s(db, sweep.id, pace.reports, from, now);
  if (!pace.last) return;
  counts.phases_per_s_before = phases_per_s(db, sweep.id, pace.reports, from, *pace.last);
  counts.silence_s = static_cast<double>(work_time(db, sweep.id, *pace.last, now).busy.us) / 1e6;
}

// Completes the counts by what the sweep file says.
std::optional<forecast::SweepEnd> end_after(forecast::SweepSoFar counts, const SweepRow& sweep,
                                            const SweepSpec& spec, Instant now) {
  const auto other = is_without_checkpoints(sweep) ? without_pauses(spec.terminator) : std::nullopt;
  counts.rule = other ? other->rule : spec.terminator.rule;
  counts.runs = sweep.trials_total * sweep.seeds;
  counts.phases_per_run = sweep.phases_per_run;
  auto end = forecast::forecast_sweep_end(counts);
  if (!end || !spec.limits.duration) return end;
  const Instant limit = sweep.submitted_at + *spec.limits.duration;
  const double most = std::max(0.0, static_cast<double>((limit - now).us) / 1e6);
  for (double* time : {&end->seconds, &end->low, &end->high}) *time = std::min(*time, most);
  return end;
}

}  // namespace

std::optional<forecast::SweepEnd> forecast_end(SQLite::Database& db, const SweepRow& sweep,
                                               const SweepSpec& spec, Instant now) {
  const RunCounts& runs = sweep.runs;
  const std::int64_t training = runs.leased + runs.running;
  if (sweep.state != SweepState::running || training == 0 || is_population(spec))
    return std::nullopt;
  forecast::SweepSoFar counts{.rule = {},
                              .runs_started = sweep.trials_proposed * sweep.seeds - runs.queued,
                              .training = training,
                              .paused = runs.paused,
                              .ended = runs.completed + runs.stopped + runs.failed + runs.canceled,
                              .phases_done = sweep.phases_done};
  add_pace(db, sweep, now, counts);
  return end_after(counts, sweep, spec, now);
}

std::optional<forecast::SweepEnd> forecast_end_at(SQLite::Database& db, const SweepRow& sweep,
                                                  const SweepSpec& spec, Instant at) {
  if (is_population(spec)) return std::nullopt;
  const SweepCounts counts = counts_at(db, sweep.id, at);
  if (counts.training == 0) return std::nullopt;
  const double window = pace_window(sweep, counts.phases, at);
  const Instant from = at - Duration{static_cast<std::int64_t>(window)};
  const auto reports = reports_between(db, sweep.id, from, at);
  return end_after({.rule = {},
                    .runs_started = counts.started,
                    .training = counts.training,
                    .paused = counts.started - counts.training - counts.ended,
                    .ended = counts.ended,
                    .phases_done = counts.phases,
                    .phases_per_s = phases_per_s(db, sweep.id, reports, from, at)},
                   sweep, spec, at);
}

Json render_end(const std::optional<forecast::SweepEnd>& end) {
  if (!end) return nullptr;
  // Up: what is left takes time, however fast the first reports came.
  Json json;
  json["seconds"] = std::llround(std::ceil(end->seconds));
  json["low"] = std::llround(std::ceil(end->low));
  json["high"] = std::llround(std::ceil(end->high));
  return json;
}

}  // namespace hone::api
