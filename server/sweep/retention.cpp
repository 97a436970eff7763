#include "server/sweep/retention.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/expect.hpp"

namespace hone {
namespace {

struct Saved {
  ModelId id;
  std::int64_t step = 0;
  int phase = 0;
};

// A run as it will be once the events so far are folded.
struct Account {
  const Sweep& sweep;
  RunState state = RunState::queued;
  EndReason reason = EndReason::none;
  std::vector<std::pair<std::int64_t, Score>> reports;  // step and score, by phase
  std::vector<Saved> models;                            // those not dropped, oldest first
};

std::vector<Saved> models_of(const Book& book, RunId run) {
  std::vector<Saved> models;
  const auto first =
      book.models_by_content.lower_bound({run, std::numeric_limits<std::int64_t>::min(), {}});
  for (auto entry = first; entry != book.models_by_content.end(); ++entry) {
    if (std::get<RunId>(entry->first) != run) break;
    const auto kept = book.models.find(entry->second);
    if (kept == book.models.end()) continue;
    models.push_back({kept->first, kept->second.step, kept->second.phase});
  }
  std::sort(models.begin(), models.end(),
            [](const Saved& a, const Saved& b) { return a.id < b.id; });
  return models;
}

Account account_of(const Book& book, const Run& run, const Events& events) {
  Account account{sweep_of(book, run.id), run.state, run.reason, {}, models_of(book, run.id)};
  for (const auto& report : run.reports) account.reports.emplace_back(report.step, report.score);
  for (const EventBody& body : events) {
    if (const auto* e = std::get_if<ReportRecorded>(&body); e != nullptr && e->run == run.id)
      account.reports.emplace_back(e->step, e->score);
    if (const auto* e = std::get_if<ModelSaved>(&body); e != nullptr && e->run == run.id)
      account.models.push_back({e->model, e->step, e->phase});
    if (const auto* e = std::get_if<RunEnded>(&body); e != nullptr && e->run == run.id)
      account.state = e->state, account.reason = e->reason;
  }
  return account;
}

// Its phase, as `best` counts: the first of equal ones. nullopt where every report diverged.
std::optional<std::size_t> best_phase(const Account& account) {
  const Goal goal = account.sweep.spec.objective.goal;
  std::optional<std::size_t> best;
  for (std::size_t phase = 0; phase < account.reports.size(); ++phase) {
    const Score score = account.reports[phase].second;
    if (score.is_diverged()) continue;
    if (!best || score.merit(goal) > account.reports[*best].second.merit(goal)) best = phase;
  }
  return best;
}

// The checkpoint that `best` names for the run (db/queries/sweeps.cpp chooses the same way).
std::optional<ModelId> best_model(const Account& account) {
  const auto phase = best_phase(account);
  if (!phase) return std::nullopt;
  const Saved* best = nullptr;
  for (const Saved& model : account.models)
    if (model.phase == static_cast<int>(*phase) && model.step <= account.reports[*phase].first &&
        (best == nullptr || model.step >= best->step))
      best = &model;
  return best == nullptr ? std::nullopt : std::optional(best->id);
}

std::optional<ModelId> newest_model(const Account& account) {
  const auto newest =
      std::max_element(account.models.begin(), account.models.end(),
                       [](const Saved& a, const Saved& b) { return a.step < b.step; });
  return newest == account.models.end() ? std::nullopt : std::optional(newest->id);
}

bool closed_by_terminator(const Account& account) {
  return account.state == RunState::stopped && account.reason != EndReason::diverged;
}

bool keeps_all(const SweepSpec& spec) {
  switch (spec.checkpoints.keep) {
    case Keep::best:
      return !spec.further_objectives.empty();  // which one is best is for the user to say
    case Keep::all:
      return true;
  }
  unreachable();
}

void drop_spare(const Book& book, RunId id, Events& events) {
  const Run* run = find_run(book, id);
  if (keeps_all(sweep_of(book, id).spec) || find_trial(book, id.trial)->pinned) return;
  const auto account = account_of(book, *run, events);
  if (!is_end(account.state)) return;
  const auto best = best_model(account);
  const auto newest = newest_model(account);
  for (const Saved& model : account.models) {
    if (model.id == best) continue;
    if (model.id == newest && (!best || !closed_by_terminator(account))) continue;
    events.emplace_back(ModelDropped{model.id, id});
  }
}

// The run whose checkpoints must be looked through after this event.
std::optional<RunId> run_to_tidy(const EventBody& body) {
  if (const auto* ended = std::get_if<RunEnded>(&body)) return ended->run;
  if (const auto* saved = std::get_if<ModelSaved>(&body)) return saved->run;
  return std::nullopt;
}

}  // namespace

Events with_dropped_models(const Book& book, Events events) {
  if (std::none_of(events.begin(), events.end(),
                   [](const EventBody& body) { return run_to_tidy(body).has_value(); }))
    return events;
  Events all;
  for (EventBody& body : events) {
    const auto run = run_to_tidy(body);
    all.push_back(std::move(body));
    if (run) drop_spare(book, *run, all);
  }
  return all;
}

}  // namespace hone
