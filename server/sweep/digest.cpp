#include <bit>

#include "base/expect.hpp"
#include "base/fnv.hpp"
#include "server/sweep/decide.hpp"

namespace hone {
namespace {

// Recorded digests (tests/golden) must stay comparable: the number of a reason never changes,
// wherever the enum lists it.
int stable_number(EndReason reason) {
  switch (reason) {
    case EndReason::none:
      return 0;
    case EndReason::budget_reached:
      return 1;
    case EndReason::exited_early:
      return 2;
    case EndReason::bar_reached:
      return 21;
    case EndReason::evicted:
      return 3;
    case EndReason::diverged:
      return 4;
    case EndReason::no_report:
      return 5;
    case EndReason::exit_code:
      return 6;
    case EndReason::signal:
      return 7;
    case EndReason::cannot_start:
      return 8;
    case EndReason::infeasible:
      return 9;
    case EndReason::requeue_requested:
      return 10;
    case EndReason::worker_lost:
      return 11;
    case EndReason::retries_exhausted:
      return 12;
    case EndReason::user_stop:
      return 13;
    case EndReason::user_cancel:
      return 14;
    case EndReason::user_kill:
      return 15;
    case EndReason::time_limit:
      return 16;
    case EndReason::not_promoted:
      return 17;
    case EndReason::told_failed:
      return 18;
    case EndReason::disk_limit:
      return 19;
    case EndReason::failure_limit:
      return 20;
  }
  unreachable();
}

// FNV-1a over 64-bit words.
class Hash {
 public:
  template <class Int>
  requires std::is_integral_v<Int> || std::is_enum_v<Int>
  void add(Int value) {
    auto bits = static_cast<std::uint64_t>(value);
    for (int byte = 0; byte < 8; ++byte, bits >>= 8)
      hash_.add(static_cast<unsigned char>(bits & 0xff));
  }
  void add(double value) { add(std::bit_cast<std::uint64_t>(value)); }
  void add(const std::string& text) {
    add(text.size());
    for (const char c : text) add(static_cast<unsigned char>(c));
  }
  void add(const JsonText& value) { add(value.text); }
  void add(Instant t) { add(t.us); }
  template <class Tag>
  void add(Id<Tag> id) {
    add(id.value);
  }
  void add(RunId id) {
    add(id.trial);
    add(id.replicate);
  }
  void add(const Score& score) {
    add(score.is_diverged());
    if (!score.is_diverged()) add(score.value());
  }
  void add(const Params& params) {
    for (const Param& param : params) {
      add(param.name);
      add(param.value.index());
      std::visit([this](const auto& value) { add(value); }, param.value);
    }
  }
  [[nodiscard]] std::uint64_t value() const { return hash_.value(); }

 private:
  Fnv1a hash_;
};

void add(Hash& hash, const Verdict& verdict) {
  hash.add(verdict.action);
  hash.add(verdict.reason);
  for (const VerdictInput& input : verdict.inputs) hash.add(input.value);
}

void add(Hash& hash, const Run& run) {
  hash.add(run.id);
  hash.add(run.seed);
  hash.add(run.state);
  hash.add(stable_number(run.reason));
  hash.add(run.attempts);
  hash.add(run.losses);
  hash.add(run.lease);
  hash.add(run.last_lease);
  if (run.checkpoint) hash.add(run.checkpoint->id);
  if (run.resumed_from) hash.add(*run.resumed_from);
  // Adds later members only if they are set, so that the digests of older ledgers stay the same.
  if (run.setbacks > 0) hash.add(run.setbacks);
  for (const auto& [failure, count] : run.failures) hash.add(failure), hash.add(count);
  for (const WorkerId worker : run.blamed) hash.add(worker);
  if (run.avoid) hash.add(*run.avoid);
  if (run.due) hash.add(*run.due);
  if (run.keep) hash.add(run.keep->worker), hash.add(run.keep->cpus);
  if (run.step > 0) hash.add(run.step), hash.add(run.step_reports), hash.add(run.checkpoint_step);
  if (run.alone) hash.add(run.alone);
  for (const FileRef& file : run.files) hash.add(file.name), hash.add(file.sha256);
  for (const RecordedReport& report : run.reports) {
    hash.add(report.step);
    hash.add(report.score);
    if (report.spent > 0) hash.add(report.spent);
    if (report.verdict) add(hash, *report.verdict);
  }
}

void add(Hash& hash, const Sweep& sweep) {
  hash.add(sweep.id);
  hash.add(sweep.request_id);
  hash.add(sweep.state);
  hash.add(stable_number(sweep.reason));
  hash.add(sweep.order);
  hash.add(sweep.submitted_at);
  hash.add(sweep.open_runs);
  hash.add(sweep.live_leases);
  for (const RunId id : sweep.queue) hash.add(id);
  for (const RunId id : sweep.paused) hash.add(id);
  for (const RunId id : sweep.resting) hash.add(id);
  for (const Enqueued& enqueued : sweep.enqueued) hash.add(enqueued.params);
  for (int phase = 0; phase < sweep.spec.budget.phases; ++phase)
    for (const double merit : sweep.history.merits(phase)) hash.add(merit);
  if (sweep.archived) hash.add(sweep.archived);
}

void add(Hash& hash, const Token& token) {
  hash.add(token.id);
  hash.add(token.request_id);
  hash.add(token.name);
  hash.add(token.scopes.bits);
  hash.add(token.sha256);
  hash.add(token.expires_at.value_or(never));
  hash.add(token.revoked);
}

void add(Hash& hash, const Fleet& fleet) {
  hash.add(fleet.id);
  hash.add(fleet.mark);
  hash.add(fleet.state);
  hash.add(fleet.want);
  hash.add(fleet.failures);
  if (fleet.limit) hash.add(*fleet.limit);
  for (const auto& [id, pilot] : fleet.pilots) {
    hash.add(id);
    hash.add(pilot.state);
    hash.add(pilot.state_at);
    hash.add(pilot.handle);
    hash.add(pilot.worker);
    hash.add(pilot.canceled.has_value());
  }
}

}  // namespace

std::uint64_t digest(const Book& book) {
  Hash hash;
  hash.add(book.lease_length.us);
  hash.add(book.last_at);
  for (const auto& [id, sweep] : book.sweeps) add(hash, sweep);
  for (const auto& [id, entry] : book.trials) {
    hash.add(id);
    hash.add(entry.first);
    hash.add(entry.second.number);
    hash.add(entry.second.params);
    for (const Run& run : entry.second.runs) add(hash, run);
    if (entry.second.pinned) hash.add(entry.second.pinned);
    if (const auto& origin = entry.second.origin)
      hash.add(origin->run), hash.add(origin->model), hash.add(origin->phase);
    for (const ScheduleStage& stage : entry.second.schedule)
      hash.add(stage.phase), hash.add(stage.params);
  }
  for (const auto& [id, lease] : book.leases) {
    hash.add(id);
    hash.add(lease.attempt.run);
    hash.add(lease.worker);
    hash.add(lease.request_id);
    hash.add(lease.expires_at);
  }
  for (const auto& [deadline, id] : book.lease_deadlines) hash.add(deadline), hash.add(id);
  for (const auto& [id, worker] : book.workers) hash.add(id), hash.add(worker.request_id);
  for (const auto& [due, id] : book.rests) hash.add(due), hash.add(id);
  for (const auto& [until, id] : book.asides) hash.add(until), hash.add(id);
  for (const auto& [id, worker] : book.workers)
    for (const RunId run : worker.suspects) hash.add(id), hash.add(run);
  for (const auto& [id, model] : book.models)
    hash.add(id), hash.add(model.sha256), hash.add(model.step);
  hash.add(static_cast<std::size_t>(book.last_workflow));
  hash.add(book.datasets.size());
  hash.add(book.run_of_lease.size());
  for (const auto& [epoch, first] : book.epochs)
    if (epoch) hash.add(epoch), hash.add(first);
  for (const auto& [id, worker] : book.workers)
    if (worker.token) hash.add(id), hash.add(worker.token);
  for (const Token& token : book.tokens) add(hash, token);
  for (const auto& [id, fleet] : book.fleets) add(hash, fleet);
  // Later members, only if they are set.
  for (const auto& [id, lease] : book.leases)
    if (lease.cpus > 0) hash.add(id), hash.add(lease.cpus);
  for (const auto& [id, lease] : book.leases)
    if (lease.workflow) hash.add(id), hash.add(*lease.workflow);
  for (const auto& [id, lease] : book.leases)
    for (const FileRef& file : lease.files)
      hash.add(id), hash.add(file.name), hash.add(file.sha256);
  for (const auto& [request, id] : book.evaluations_by_request) hash.add(request), hash.add(id);
  return hash.value();
}

}  // namespace hone
