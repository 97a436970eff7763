// The rules of what is recorded of a run besides its reports: files, code, metrics, evaluations.
#include <algorithm>
#include <utility>

#include "server/sweep/state/rules.hpp"

namespace hone {

namespace {

// Whether the run has given its slots to another sweep, and waits since: its last lease ended with
// a report, not with a failure or with its step.
bool has_yielded(const Run& run) {
  return run.state == RunState::queued && run.setbacks == 0 &&
         run.reports.size() > run.step_reports && run.reports.back().verdict &&
         run.reports.back().verdict->reason == VerdictReason::yields;
}

}  // namespace

const Run* ended_under(const Book& book, LeaseId lease) {
  const auto index = lease_index(book, lease);
  if (!index) return nullptr;
  const Run* run = find_run(book, book.run_of_lease[*index]);
  return run != nullptr && run->last_lease == lease &&
                 (is_end(run->state) || run->state == RunState::paused || has_yielded(*run))
             ? run
             : nullptr;
}

Result<Events> decide_evaluate(const Book& book, const Evaluate& command) {
  const EvaluateRequest& request = command.request;
  if (book.evaluations_by_request.contains(request.request_id)) return Events{};
  if (auto there = check_exists(book, command.model); !there) return there.error();
  return Events{ModelEvaluated{EvaluationId{book.last_evaluation + 1}, request.request_id,
                               command.model, request.evaluation}};
}

Status check_attempt(const AttemptLimit& limit, int recorded) {
  if (recorded < limit.most) return Done{};
  return refuse(Code::conflict, "an attempt records at most " + std::to_string(limit.most) + " " +
                                    limit.what + ": the next attempt may record more");
}

// What changed during an attempt may be recorded when its lease is over.
void note_code(Book& book, Run& run, const CodeRecorded& event) {
  if (run.last_lease == event.lease) {
    ++run.tally.codes;
    run.tally.code = event.workflow;
  }
  if (const auto lease = book.leases.find(event.lease); lease != book.leases.end())
    lease->second.workflow = event.workflow;
}

Result<Events> decide_record_code(const Book& book, const RecordCode& command) {
  const Lease* lease = find_live_lease(book, command.lease);
  const Run* run =
      lease != nullptr ? find_run(book, lease->attempt.run) : ended_under(book, command.lease);
  if (run == nullptr) return stale(book, command.lease);
  Events events;
  const WorkflowId workflow = record_workflow(book, command.request.workflow, events);
  if (run->tally.code == workflow) return Events{};
  if (auto fits = check_attempt(attempt_limits::codes, run->tally.codes); !fits)
    return fits.error();
  events.emplace_back(CodeRecorded{command.lease, run->id, workflow});
  return events;
}

namespace {

// Whether the lease knows the file: what a step passes on is what its own attempt saved.
bool is_saved_under(const Sweep& sweep, const Lease* lease, const SaveArtifactRequest& request) {
  if (lease == nullptr || steps_of(sweep.spec) == 1) return true;
  return std::ranges::any_of(lease->files, [&](const FileRef& file) {
    return file.name == request.name && file.sha256 == request.sha256;
  });
}

}  // namespace

Result<Events> decide_save_artifact(const Book& book, const SaveArtifact& command) {
  constexpr std::size_t artifacts_max = 100;  // of a run or a step; a person can still survey them
  const SaveArtifactRequest& request = command.request;
  const Lease* lease = find_live_lease(book, command.lease);
  const Run* run =
      lease != nullptr ? find_run(book, lease->attempt.run) : ended_under(book, command.lease);
  if (run == nullptr) return stale(book, command.lease);
  const Sweep& sweep = sweep_of(book, run->id);
  if (auto fits = check_file(sweep, *run, lease, request.name); !fits) return fits.error();
  const auto known = run->artifacts.find(request.name);
  const bool pipeline = step_of(sweep.spec, 0) != nullptr;
  const std::string folder = pipeline ? request.name.substr(0, request.name.find('/') + 1) : "";
  const auto kept = std::ranges::count_if(
      run->artifacts, [&](const auto& file) { return file.first.starts_with(folder); });
  if (known == run->artifacts.end() && std::cmp_greater_equal(kept, artifacts_max))
    return refuse(Code::conflict,
                  std::string(pipeline ? "a step" : "a run") + " keeps at most " +
                      std::to_string(artifacts_max) + " files",
                  "/name");
  if (known != run->artifacts.end() && known->second == request.sha256 &&
      is_saved_under(sweep, lease, request))
    return Events{};
  if (auto fits = check_attempt(attempt_limits::files, run->tally.files); !fits)
    return fits.error();
  return Events{ArtifactSaved{command.lease, run->id, request.name, request.sha256, request.bytes}};
}

Result<Events> decide_log_metrics(const Book& book, const LogMetrics& command) {
  if (find_live_lease(book, command.lease) == nullptr &&
      ended_under(book, command.lease) == nullptr)
    return stale(book, command.lease);
  return Events{};
}

}  // namespace hone
