#include "server/sweep/verdict/retention.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "base/expect.hpp"
#include "schemas/types/event.hpp"
#include "schemas/types/reach.hpp"
#include "server/sweep/forks/forks.hpp"

namespace hone {
namespace {

struct SavedModel {
  ModelId id;
  std::int64_t step = 0;
  int phase = 0;
};

// A run as it will be after the events so far.
struct FoldedRun {
  const Sweep& sweep;
  RunState state = RunState::queued;
  EndReason reason = EndReason::none;
  std::vector<std::pair<std::int64_t, Score>> reports;  // step and score, by phase
  std::vector<SavedModel> models;                       // those not dropped, oldest first
};

std::vector<SavedModel> models_of(const Book& book, RunId run) {
  std::vector<SavedModel> models;
  const auto first =
      book.models_by_content.lower_bound({run, std::numeric_limits<std::int64_t>::min(), {}});
  for (auto entry = first; entry != book.models_by_content.end(); ++entry) {
    if (std::get<RunId>(entry->first) != run) break;
    const auto kept = book.models.find(entry->second);
    if (kept == book.models.end()) continue;
    models.push_back({kept->first, kept->second.step, kept->second.phase});
  }
  std::sort(models.begin(), models.end(),
            [](const SavedModel& a, const SavedModel& b) { return a.id < b.id; });
  return models;
}

// The events of one command so far, by the run that they concern: a command may end 100,000 runs.
struct FoldedEvents {
  explicit FoldedEvents(const Book& known) : book(known), starts(known) {}

  void add(EventBody body) {
    starts.add(body);
    if (const auto run = run_of(body)) of_run[*run].push_back(all.size());
    all.push_back(std::move(body));
  }
  static std::optional<RunId> run_of(const EventBody& body) {
    if (const auto* e = std::get_if<ReportRecorded>(&body)) return e->run;
    if (const auto* e = std::get_if<ModelSaved>(&body)) return e->run;
    if (const auto* e = std::get_if<ModelDropped>(&body)) return e->run;
    if (const auto* e = std::get_if<RunEnded>(&body)) return e->run;
    return std::nullopt;
  }

  const Book& book;
  ForkStarts starts;
  Events all;
  std::map<RunId, std::vector<std::size_t>> of_run;
};

FoldedRun folded_run(const Run& run, const FoldedEvents& events) {
  const Book& book = events.book;
  FoldedRun folded{sweep_of(book, run.id), run.state, run.reason, {}, models_of(book, run.id)};
  for (const auto& report : run.reports) folded.reports.emplace_back(report.step, report.score);
  const auto own = events.of_run.find(run.id);
  if (own == events.of_run.end()) return folded;
  for (const std::size_t index : own->second) {
    const EventBody& body = events.all[index];
    if (const auto* e = std::get_if<ReportRecorded>(&body))
      folded.reports.emplace_back(e->step, e->score);
    if (const auto* e = std::get_if<ModelSaved>(&body))
      folded.models.push_back({e->model, e->step, e->phase});
    if (const auto* e = std::get_if<ModelDropped>(&body))
      std::erase_if(folded.models, [&](const SavedModel& model) { return model.id == e->model; });
    if (const auto* e = std::get_if<RunEnded>(&body))
      folded.state = e->state, folded.reason = e->reason;
  }
  return folded;
}

// The phase of the best report, the first of equal ones. nullopt if every report diverged.
std::optional<std::size_t> best_phase(const FoldedRun& folded) {
  const Goal goal = metric_goal(folded.sweep.spec.objective);
  std::optional<std::size_t> best;
  for (std::size_t phase = 0; phase < folded.reports.size(); ++phase) {
    const Score score = folded.reports[phase].second;
    if (score.is_diverged()) continue;
    if (!best || score.merit(goal) > folded.reports[*best].second.merit(goal)) best = phase;
  }
  return best;
}

// The checkpoint that `best` names for the run (db/queries/sweeps.cpp chooses the same way).
std::optional<ModelId> best_model(const FoldedRun& folded) {
  const auto phase = best_phase(folded);
  if (!phase) return std::nullopt;
  const SavedModel* best = nullptr;
  for (const SavedModel& model : folded.models)
    if (model.phase == static_cast<int>(*phase) && model.step <= folded.reports[*phase].first &&
        (best == nullptr || model.step >= best->step))
      best = &model;
  return best == nullptr ? std::nullopt : std::optional(best->id);
}

std::optional<ModelId> newest_model(const FoldedRun& folded) {
  const auto newest = std::max_element(
      folded.models.begin(), folded.models.end(), [](const SavedModel& a, const SavedModel& b) {
        return std::pair(a.phase, a.step) < std::pair(b.phase, b.step);
      });
  return newest == folded.models.end() ? std::nullopt : std::optional(newest->id);
}

bool closed_by_terminator(const FoldedRun& folded) {
  return folded.state == RunState::stopped && folded.reason != EndReason::diverged;
}

bool keeps_all(const SweepSpec& spec) {
  switch (spec.checkpoints.keep) {
    case Keep::best:
      return !spec.further_objectives.empty();  // only the user can choose the best one
    case Keep::all:
      return true;
  }
  unreachable();
}

void drop_superfluous(RunId id, FoldedEvents& events) {
  const Book& book = events.book;
  const Run* run = find_run(book, id);
  if (keeps_all(sweep_of(book, id).spec) || find_trial(book, id.trial)->pinned) return;
  const auto folded = folded_run(*run, events);
  if (!is_end(folded.state)) return;
  const auto best = best_model(folded);
  const auto newest = newest_model(folded);
  for (const SavedModel& model : folded.models) {
    if (model.id == best || events.starts.contains(folded.sweep, model.id)) continue;
    if (model.id == newest && (!best || !closed_by_terminator(folded))) continue;
    events.add(ModelDropped{model.id, id});
  }
}

// A fork that ended, or has its own checkpoint, no longer needs the one that it started from. The
// run that saved it may be further along the origins: a fork of a fork may start where that did.
void drop_start(RunId fork, FoldedEvents& events) {
  const Trial* trial = find_trial(events.book, fork.trial);
  if (trial == nullptr || !trial->origin) return;
  const ModelId start = trial->origin->model;
  // While others need it, the way to that run need not be gone: it may be 100,000 forks long.
  if (events.starts.contains(sweep_of(events.book, fork), start)) return;
  RunId saved_by = trial->origin->run;
  while ((trial = find_trial(events.book, saved_by.trial)) != nullptr && trial->origin &&
         trial->origin->model == start)
    saved_by = trial->origin->run;
  drop_superfluous(saved_by, events);
}

// The run whose checkpoints may have become superfluous with this event.
std::optional<RunId> affected_run(const EventBody& body) {
  if (const auto* ended = std::get_if<RunEnded>(&body)) return ended->run;
  if (const auto* saved = std::get_if<ModelSaved>(&body)) return saved->run;
  return std::nullopt;
}

}  // namespace

Events with_dropped_models(const Book& book, Events events) {
  if (std::none_of(events.begin(), events.end(),
                   [](const EventBody& body) { return affected_run(body).has_value(); }))
    return events;
  FoldedEvents all(book);
  for (EventBody& body : events) {
    const auto run = affected_run(body);
    all.add(std::move(body));
    if (!run) continue;
    drop_superfluous(*run, all);
    drop_start(*run, all);
  }
  return std::move(all.all);
}

}  // namespace hone
