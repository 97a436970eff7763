// Imports a sweep that ended on another server with all its events: folds them into an empty Book
// first, then renumbers their ids.
#include <algorithm>

#include "schemas/rules/rules.hpp"
#include "server/sweep/decide.hpp"
#include "server/sweep/history/import_parts.hpp"
#include "server/sweep/history/renumber.hpp"
#include "server/sweep/state/rules.hpp"
#include "server/sweep/submit/past_fits.hpp"

namespace hone {
namespace {

Error event_error(std::size_t index, const std::string& why, const std::string& below = {}) {
  return refuse(Code::invalid, "event " + std::to_string(index) + " " + why,
                "/export/events/" + std::to_string(index) + below);
}

// An earlier hone may have accepted what this one does not.
Error spec_error(std::size_t index, const Error& why) {
  return event_error(index,
                     "has a specification that this hone does not accept: " + why.detail +
                         ". Change it in the document, as nothing of the sweep runs again",
                     "/body/spec" + why.at);
}

void join_workers(const SweepPast& past, const std::string& request_id, std::int64_t last,
                  Events& events) {
  for (std::size_t i = 0; i < past.workers.size(); ++i) {
    const JoinRequest& w = past.workers[i];
    events.emplace_back(WorkerJoined{WorkerId{last + static_cast<std::int64_t>(i) + 1},
                                     "import/" + request_id + "/" + std::to_string(i), w.host,
                                     w.pid, w.cpus, w.gpus, w.hone_version});
  }
}

void number_workers(const SweepPast& past, std::int64_t last, Renumbering& ids) {
  for (std::int64_t i = 1; std::cmp_less_equal(i, past.workers.size()); ++i)
    ids.worker[WorkerId{i}] = WorkerId{last + i};
}

// The workflows that the attempts of a document name.
std::map<WorkflowId, WorkflowInfo> executed_in(const SweepPast& past) {
  std::map<WorkflowId, WorkflowInfo> executed{{WorkflowId{1}, past.workflow}};
  for (std::size_t i = 0; i < past.workflows.size(); ++i)
    executed.emplace(WorkflowId{static_cast<std::int64_t>(i) + 2}, past.workflows[i]);
  return executed;
}

// The trials of a document are numbered from 1, so that its telemetry can name them.
bool out_of_turn(const EventBody& body, const Renumbering& ids) {
  const auto* proposed = std::get_if<TrialProposed>(&body);
  return proposed != nullptr && proposed->trial.value != ids.trials + 1;
}

Status fold_event(Book& book, Event event, std::size_t index, Renumbering& ids) {
  if (event.at < book.last_at) return event_error(index, "goes back in time");
  if (out_of_turn(event.body, ids)) return event_error(index, "names a trial out of turn");
  if (std::holds_alternative<SweepSubmitted>(event.body) != (index == 0))
    return event_error(index, "is a second submission, or the first event is none");
  if (!renumber(event.body, ids)) return event_error(index, "names what no event before it made");
  if (auto fit = fits(book, event.body); !fit) {
    if (std::holds_alternative<SweepSubmitted>(event.body)) return spec_error(index, fit.error());
    std::string at = fit.error().at.empty() ? std::string() : " (" + fit.error().at + ")";
    return event_error(index, fit.error().detail + at);
  }
  if (const auto text = rules::readable_text(event.body); !text)
    return event_error(index, "cannot be kept: " + text.error().detail);
  if (auto* submitted = std::get_if<SweepSubmitted>(&event.body)) {
    submitted->spec.own().search.warm_start.clear();  // the sweeps that it names are not here
    submitted->spec.own().confirms = {};
  }
  evolve(book, event);
  return Done{};
}

Status check_metrics(const Book& book, const SweepPast& past) {
  for (std::size_t i = 0; i < past.metrics.size(); ++i)
    if (find_run(book, past.metrics[i].run) == nullptr)
      return refuse(Code::invalid, "there is no run " + text(past.metrics[i].run) + " in it",
                    "/export/metrics/" + std::to_string(i) + "/run");
  return Done{};
}

// A server judges a report in the same commit: the verdict is the next event.
Status check_judged(const std::vector<Event>& events) {
  for (std::size_t i = 0; i < events.size(); ++i) {
    const auto* report = std::get_if<ReportRecorded>(&events[i].body);
    if (report == nullptr) continue;
    const auto* verdict =
        i + 1 < events.size() ? std::get_if<VerdictGiven>(&events[i + 1].body) : nullptr;
    if (verdict == nullptr || verdict->run != report->run || verdict->phase != report->phase)
      return event_error(i, "is a report that the next event does not judge");
  }
  return Done{};
}

}  // namespace

Status check_past(const SweepPast& past) {
  if (auto judged = check_judged(past.events); !judged) return judged;
  Book book;
  Events joined;
  join_workers(past, "", 0, joined);
  for (const EventBody& body : joined) evolve(book, Event{0, {}, body});
  Renumbering ids;
  ids.sweep = SweepId{1};
  number_workers(past, 0, ids);
  for (const auto& [id, info] : executed_in(past)) ids.executed[id] = id;
  for (std::size_t i = 0; i < past.events.size(); ++i)
    if (auto fit = fold_event(book, past.events[i], i, ids); !fit) return fit;
  if (book.sweeps.empty() || !is_end(book.sweeps.begin()->second.state))
    return refuse(Code::invalid,
                  "the sweep had not ended when it was exported: stop it and export it again",
                  "/export/events");
  return check_metrics(book, past);
}

namespace {

ImportedIds taken_by(const Renumbering& ids, const std::vector<Event>& past) {
  ImportedIds taken{{ids.trials}, {ids.leases}, {ids.models}, {ids.evaluations}};
  for (const Event& event : past) {
    if (std::holds_alternative<TrialProposed>(event.body)) ++taken.trials.count;
    if (std::holds_alternative<LeaseGranted>(event.body)) ++taken.leases.count;
    if (std::holds_alternative<ModelSaved>(event.body)) ++taken.models.count;
    if (std::holds_alternative<ModelEvaluated>(event.body)) ++taken.evaluations.count;
  }
  return taken;
}

}  // namespace

Result<ImportParts> ImportParts::plan(const Book& book, const Import& import) {
  const SweepPast& past = import.request->past;
  const auto confirmed = find_confirmed(book, past);
  if (!confirmed) return confirmed.error();
  ImportParts parts;
  parts.request_ = import.request;
  Renumbering& ids = parts.ids_;
  ids.sweep = SweepId{book.last_sweep + 1};
  ids.trials = book.last_trial;
  ids.leases = book.last_lease.value;
  ids.models = book.last_model;
  ids.evaluations = book.last_evaluation;
  parts.taken_ = taken_by(ids, past.events);
  Events& before = parts.before_;
  ids.workflow = record_workflow(book, past.workflow, before);
  for (const auto& [id, info] : executed_in(past))
    ids.executed[id] = record_workflow(book, info, before);
  if (past.dataset) ids.dataset = record_dataset(book, *past.dataset, before);
  for (const Event& event : past.events)
    if (const auto* submitted = std::get_if<SweepSubmitted>(&event.body))
      record_datasets(book, submitted->spec, before);
  join_workers(past, import.request->request_id, book.last_worker, before);
  number_workers(past, book.last_worker, ids);
  if (*confirmed == nullptr) return parts;
  parts.confirms_ = (*confirmed)->id;
  parts.links_ = TrialLinks(**confirmed, *past.confirms);
  return parts;
}

Result<Events> decide_import(const Book& book, const Import& command) {
  if (book.sweeps_by_request.contains(command.request->request_id)) return Events{};
  if (!command.fits) return command.fits.error();
  auto parts = ImportParts::plan(book, command);
  if (!parts) return parts.error();
  return parts->whole();
}

}  // namespace hone
