#include "worker/agent/attempt.hpp"

#include <algorithm>
#include <utility>

#include "base/expect.hpp"
#include "worker/agent/exit.hpp"

namespace hone::worker {
namespace {

template <class T>
bool is(const Call& call) {
  return std::holds_alternative<T>(call);
}

bool is_gone(const Error& error) {
  return error.code == Code::stale_lease || error.code == Code::not_found;
}

bool has_artifacts(const TrainerSpec& trainer) {
  const auto* command = std::get_if<CommandTrainer>(&trainer);
  return command != nullptr && !command->artifacts.empty();
}

Error odd_reply() { return refuse(Code::internal, "the answer does not belong to the question"); }

}  // namespace

Attempt::Attempt(LeaseGrant grant, std::vector<int> gpus, std::uint64_t seed)
    : grant_(std::move(grant)),
      gpus_(std::move(gpus)),
      next_phase_(grant_.next_phase),
      clock_(grant_.limits),
      files_kept_(!has_artifacts(grant_.trainer)),
      retry_(seed) {}

// Inputs ------------------------------------------------------------------------------------------

void Attempt::start(Turn& turn) {
  if (grant_.resume) return send(turn, FetchBlob{grant_.lease, *grant_.resume});
  spawn(turn, {});
}

void Attempt::recover(Turn& turn, const Recovered& input) {
  process_ = Process::exited;
  exit_ = input.exited;
  unconfirmed_ = true;
  if (!exit_)
    not_started_ = EndRequest{
        EndReason::requeue_requested, 0, "its worker was killed", {}, Failure::preempted};
  note(turn, NoteLevel::info,
       "an earlier process of this worker left it, with " + std::to_string(input.lines.size()) +
           " lines that may not have been delivered");
  for (const TrialLine& line : input.lines) said(turn, {grant_.lease, line, Origin::output});
}

void Attempt::said(Turn& turn, const TrialSaid& input) {
  if (over_ || ending_ == Ending::lost) return;
  undelivered_ = true;
  if (const auto* point = std::get_if<MetricPoint>(&input.line)) keep(turn, *point);
  if (const auto* report = std::get_if<ReportLine>(&input.line))
    keep(turn, LaneReport{*report, input.origin});
  if (const auto* checkpoint = std::get_if<CheckpointLine>(&input.line))
    keep(turn, LaneCheckpoint{*checkpoint, input.origin, std::nullopt});
  advance(turn);
}

void Attempt::not_started(Turn& turn, const NotStarted& input) {
  if (process_ == Process::running) fail_to_start(turn, input.detail, input.fault_is_here);
}

void Attempt::exited(Turn& turn, const Exited& input) {
  if (process_ != Process::running) return;
  process_ = Process::exited;
  clock_.stand_still(turn.now);
  exit_ = input;
  signal_at_.reset();
  if (ending_ == Ending::lost) return forget(turn);
  advance(turn);
}

void Attempt::outgrown(Turn& turn, const Outgrown& input) {
  if (process_ != Process::running || disk_over_ == input.detail) return;
  disk_over_ = input.detail;
  note(turn, NoteLevel::warning, disk_over_);
  end_process(turn, Ending::outgrown);
}

void Attempt::replied(Turn& turn, CallId id, Result<CallReply> reply) {
  if (over_ || !call_ || id != call_id_) return;
  call_id_ = 0;
  if (!reply && tries_again(reply.error())) {
    retry_at_ = turn.now + retry_.next();
    return;
  }
  retry_.reset();
  internal_errors_ = 0;
  const Call call = std::move(*std::exchange(call_, std::nullopt));
  if (reply)
    took(turn, call, *reply);
  else
    refused(turn, call, reply.error());
}

void Attempt::ordered(Turn& turn, Order order) {
  if (over_ || closed_) return;
  if (unconfirmed_ && order != Order::gone) {
    unconfirmed_ = false;
    return advance(turn);
  }
  switch (order) {
    case Order::none:
      return;
    case Order::cancel:
      return end_process(turn, Ending::cancel);
    case Order::kill:
      return end_process(turn, Ending::kill);
    case Order::gone:
      break;
  }
  // The answer under way may be the very one that closed the lease; it will say so itself.
  const bool may_have_closed = call_ && (is<ReportCall>(*call_) || is<EndCall>(*call_));
  if (!may_have_closed) lose(turn, "the server gave its run to others");
}

void Attempt::drain(Turn& turn, bool at_once) {
  if (over_) return;
  end_process(turn, Ending::drained);
  if (at_once) kill(turn);
}

void Attempt::tick(Turn& turn) {
  if (over_) return;
  if (signal_at_ && *signal_at_ <= turn.now) {
    if (term_sent_)
      kill(turn);
    else
      terminate(turn);
  }
  if (const auto due = clock_.due(); due && *due <= turn.now) time_out(turn);
  if (call_ && call_id_ == 0 && retry_at_ <= turn.now) return send(turn, *call_);
  advance(turn);
}

std::optional<Instant> Attempt::next_deadline() const {
  std::optional<Instant> next = signal_at_;
  const auto sooner = [&](Instant at) { next = next ? std::min(*next, at) : at; };
  if (over_ || ending_ == Ending::lost) return next;
  if (const auto due = clock_.due()) sooner(*due);
  if (call_ && call_id_ == 0) sooner(retry_at_);
  if (!call_ && flush_at_ && !unconfirmed_) sooner(*flush_at_);
  return next;
}

bool Attempt::holds_slots() const { return !over_ && process_ != Process::exited; }

bool Attempt::wants_beat() const { return !over_ && !closed_ && ending_ != Ending::lost; }

// The lane ----------------------------------------------------------------------------------------

void Attempt::advance(Turn& turn) {
  if (over_ || call_ || unconfirmed_ || ending_ == Ending::lost) return;
  if (must_flush(turn.now)) return send_metrics(turn);
  if (!lane_.empty()) return send_head(turn);
  if (points_.empty() && std::exchange(undelivered_, false))
    turn.actions.emplace_back(Delivered{grant_.lease, next_phase_});
  if (process_ != Process::exited) return;
  if (keeps_files())
    return send(turn, KeepFiles{grant_.lease, std::get<CommandTrainer>(grant_.trainer).artifacts});
  if (closed_) return forget(turn);
  send(turn, EndCall{grant_.lease, end_request()});
}

// Whoever killed it does not want to wait; one that never ran has left nothing.
bool Attempt::keeps_files() const {
  return !files_kept_ && !not_started_ && ending_ != Ending::kill;
}

// Points go before the report that follows them, so that a curve is complete when its run ends.
bool Attempt::must_flush(Instant now) const {
  if (points_.empty()) return false;
  return !lane_.empty() || process_ == Process::exited || points_.size() >= limits::flush_points ||
         (flush_at_ && *flush_at_ <= now);
}

void Attempt::send_metrics(Turn& turn) {
  const auto count =
      static_cast<std::ptrdiff_t>(std::min(points_.size(), limits::batch_points_max));
  MetricsRequest request{{points_.begin(), points_.begin() + count}};
  points_.erase(points_.begin(), points_.begin() + count);
  flush_at_.reset();
  if (!points_.empty()) flush_at_ = turn.now;
  send(turn, MetricsCall{grant_.lease, std::move(request)});
}

void Attempt::send_head(Turn& turn) {
  if (const auto* report = std::get_if<LaneReport>(&lane_.front())) {
    const ReportLine& line = report->line;
    return send(turn, ReportCall{grant_.lease,
                                 {line.phase.value_or(next_phase_), line.step, line.score,
                                  line.further, line.seed_applied}});
  }
  const auto& checkpoint = std::get<LaneCheckpoint>(lane_.front());
  const CheckpointLine& line = checkpoint.line;
  if (!checkpoint.stored) return send(turn, StoreBlob{grant_.lease, line.path});
  const int phase = line.phase.value_or(std::min(next_phase_, grant_.budget.phases - 1));
  send(turn,
       SaveModelCall{grant_.lease,
                     {checkpoint.stored->sha256, checkpoint.stored->bytes, line.step, phase}});
}

void Attempt::send(Turn& turn, Call call) {
  call_id_ = ++turn.last_call;
  turn.calls.emplace_back(call_id_, grant_.lease);
  turn.actions.emplace_back(Send{call_id_, call});
  call_ = std::move(call);
}

bool Attempt::tries_again(const Error& error) {
  switch (error.code) {
    case Code::unavailable:
    case Code::timed_out:
    case Code::busy:
    case Code::rate_limited:
      return true;
    case Code::internal:
      return ++internal_errors_ < limits::internal_errors_max;
    case Code::invalid:
    case Code::not_found:
    case Code::conflict:
    case Code::stale_lease:
    case Code::forbidden:
    case Code::too_large:
    case Code::unauthenticated:
      return false;
  }
  unreachable();
}

Origin Attempt::head_origin() const {
  return std::visit([](const auto& item) { return item.origin; }, lane_.front());
}

void Attempt::answer_head(Turn& turn, TrialAnswer answer) {
  const Origin origin = head_origin();
  lane_.pop_front();
  if (lane_.empty() && process_ == Process::running && ending_ == Ending::none) clock_.go(turn.now);
  if (const auto* error = std::get_if<Error>(&answer))
    note(turn, NoteLevel::warning, "refused: " + error->detail);
  if (origin == Origin::socket && process_ == Process::running)
    turn.actions.emplace_back(TellTrial{grant_.lease, std::move(answer)});
  if (held_ && lane_.size() <= limits::lane_items_max / 2) {
    held_ = false;
    turn.actions.emplace_back(Hold{grant_.lease, false});
  }
  advance(turn);
}

void Attempt::took(Turn& turn, const Call& call, const CallReply& reply) {
  if (const auto* fetched = std::get_if<FetchedBlob>(&reply); fetched && is<FetchBlob>(call)) {
    spawn(turn, fetched->path);
  } else if (const auto* stored = std::get_if<StoredBlob>(&reply); stored && is<StoreBlob>(call)) {
    std::get<LaneCheckpoint>(lane_.front()).stored = *stored;
    advance(turn);
  } else if (std::holds_alternative<SaveModelReply>(reply) && is<SaveModelCall>(call)) {
    answer_head(turn, Saved{std::get<SaveModelCall>(call).request.sha256});
  } else if (const auto* report = std::get_if<ReportReply>(&reply);
             report && is<ReportCall>(call)) {
    took_verdict(turn, std::get<ReportCall>(call).request.phase, report->verdict);
  } else if (std::holds_alternative<Done>(reply) && is<MetricsCall>(call)) {
    took_points(turn);
  } else if (std::holds_alternative<Done>(reply) && is<KeepFiles>(call)) {
    files_kept_ = true;
    advance(turn);
  } else if (std::holds_alternative<Done>(reply) && is<EndCall>(call)) {
    forget(turn);
  } else {
    refused(turn, call, odd_reply());
  }
}

void Attempt::took_verdict(Turn& turn, int phase, const Verdict& verdict) {
  next_phase_ = std::max(next_phase_, phase + 1);
  const bool hears = head_origin() == Origin::socket;
  // Either way the server has closed the lease: a run that is paused may be promoted elsewhere.
  if (verdict.action != Action::go_on) closed_ = true;
  if (verdict.action != Action::go_on)
    end_process(turn, verdict.action == Action::stop ? Ending::stopped : Ending::paused);
  // It cannot be told otherwise; after its last phase it is about to end by itself.
  if (verdict.action != Action::go_on && !hears && verdict.reason != VerdictReason::last_phase)
    terminate(turn);
  answer_head(turn, verdict);
}

void Attempt::took_points(Turn& turn) {
  if (points_dropped_ > 0)
    note(turn, NoteLevel::warning,
         std::to_string(points_dropped_) +
             " metric points were dropped: it logs faster than the server took them");
  points_dropped_ = 0;
  advance(turn);
}

void Attempt::refused(Turn& turn, const Call& call, const Error& error) {
  if (is<FetchBlob>(call)) {
    const std::string what =
        "cannot fetch the checkpoint " + text(grant_.resume->id) + " to continue from: ";
    return fail_to_start(turn, what + error.detail, error.code == Code::internal);
  }
  if (is<EndCall>(call)) {
    if (!is_gone(error)) note(turn, NoteLevel::error, "its end was refused: " + error.detail);
    return forget(turn);
  }
  if (is<KeepFiles>(call)) {
    note(turn, NoteLevel::warning, "its files were not kept: " + error.detail);
    files_kept_ = true;
    return advance(turn);
  }
  const bool about_lease = !is<StoreBlob>(call);
  if (about_lease && is_gone(error) && !closed_) return lose(turn, error.detail);
  if (!is<MetricsCall>(call)) return answer_head(turn, error);
  note(turn, NoteLevel::warning, "metric points were refused: " + error.detail);
  advance(turn);
}

void Attempt::keep(Turn& turn, LaneItem item) {
  lane_.push_back(std::move(item));
  clock_.stand_still(turn.now);
  if (held_ || lane_.size() < limits::lane_items_max) return;
  held_ = true;
  turn.actions.emplace_back(Hold{grant_.lease, true});
}

void Attempt::keep(Turn& turn, MetricPoint point) {
  if (!flush_at_) flush_at_ = turn.now + limits::flush_period;
  points_.push_back(std::move(point));
  if (points_.size() <= limits::points_max) return;
  points_.pop_front();
  ++points_dropped_;
}

}  // namespace hone::worker
