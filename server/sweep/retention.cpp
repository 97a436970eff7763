#include "server/sweep/retention.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/expect.hpp"
#include "schemas/types/event.hpp"
#include "server/sweep/forks.hpp"

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

FoldedRun folded_run(const Book& book, const Run& run, const Events& events) {
  FoldedRun folded{sweep_of(book, run.id), run.state, run.reason, {}, models_of(book, run.id)};
  for (const auto& report : run.reports) folded.reports.emplace_back(report.step, report.score);
  for (const EventBody& body : events) {
    if (const auto* e = std::get_if<ReportRecorded>(&body); e != nullptr && e->run == run.id)
      folded.reports.emplace_back(e->step, e->score);
    if (const auto* e = std::get_if<ModelSaved>(&body); e != nullptr && e->run == run.id)
      folded.models.push_back({e->model, e->step, e->phase});
    if (const auto* e = std::get_if<ModelDropped>(&body); e != nullptr && e->run == run.id)
      std::erase_if(folded.models, [&](const SavedModel& model) { return model.id == e->model; });
    if (const auto* e = std::get_if<RunEnded>(&body); e != nullptr && e->run == run.id)
      folded.state = e->state, folded.reason = e->reason;
  }
  return folded;
}

// The phase of the best report, the first of equal ones. nullopt if every report diverged.
std::optional<std::size_t> best_phase(const FoldedRun& folded) {
  const Goal goal = folded.sweep.spec.objective.goal;
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
  const auto newest =
      std::max_element(folded.models.begin(), folded.models.end(),
                       [](const SavedModel& a, const SavedModel& b) { return a.step < b.step; });
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

void drop_superfluous(const Book& book, RunId id, Events& events) {
  const Run* run = find_run(book, id);
  if (keeps_all(sweep_of(book, id).spec) || find_trial(book, id.trial)->pinned) return;
  const auto folded = folded_run(book, *run, events);
  if (!is_end(folded.state)) return;
  const auto best = best_model(folded);
  const auto newest = newest_model(folded);
  for (const SavedModel& model : folded.models) {
    if (model.id == best || starts_fork(book, folded.sweep, model.id, events)) continue;
    if (model.id == newest && (!best || !closed_by_terminator(folded))) continue;
    events.emplace_back(ModelDropped{model.id, id});
  }
}

// A fork that ended, or has its own checkpoint, no longer needs the one that it started from. The
// run that saved it may be further along the origins: a fork of a fork may start where that did.
void drop_start(const Book& book, RunId fork, Events& events) {
  const Trial* trial = find_trial(book, fork.trial);
  while (trial != nullptr && trial->origin) {
    const Origin& origin = *trial->origin;
    drop_superfluous(book, origin.run, events);
    trial = find_trial(book, origin.run.trial);
    if (trial != nullptr && trial->origin && trial->origin->model != origin.model) return;
  }
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
  Events all;
  for (EventBody& body : events) {
    const auto run = affected_run(body);
    all.push_back(std::move(body));
    if (!run) continue;
    drop_superfluous(book, *run, all);
    drop_start(book, *run, all);
  }
  return all;
}

}  // namespace hone
