// Its inputs and what follows from them; attempt_replies.cpp has the replies to its calls.
#include "worker/agent/attempt.hpp"

#include <algorithm>
#include <utility>

#include "worker/agent/limits.hpp"

namespace hone::worker {
namespace {

// What a step keeps is named after it, and is not what it got.
KeepFiles files_of(const LeaseGrant& grant, std::vector<std::string> patterns) {
  KeepFiles keep{grant.lease, std::move(patterns)};
  keep.attempt = grant.attempt;
  if (!grant.step) return keep;
  keep.step = grant.step->name;
  for (const FileRef& input : grant.inputs) {
    auto folder = input.name.substr(0, input.name.find('/'));
    if (keep.needed.empty() || keep.needed.back() != folder)
      keep.needed.push_back(std::move(folder));
  }
  return keep;
}

}  // namespace

Attempt::Attempt(LeaseGrant grant, std::vector<int> gpus, std::uint64_t seed,
                 Capabilities capabilities)
    : grant_(std::move(grant)),
      gpus_(std::move(gpus)),
      records_code_(capabilities.code),
      last_(capabilities.last),
      process_(grant_),
      delivery_(grant_, capabilities),
      call_(grant_.lease, seed) {}

// Inputs ------------------------------------------------------------------------------------------

void Attempt::start(Turn& turn) {
  if (grant_.resume) return call_.send(turn, FetchBlob{grant_.lease, *grant_.resume});
  fetch_inputs(turn);
}

void Attempt::recover(Turn& turn, const Recovered& input) {
  lease_ = Lease::unconfirmed;
  if (input.exited)
    process_.exited(*input.exited);
  else
    process_.not_started({EndReason::requeue_requested,
                          0,
                          "its worker was killed",
                          {},
                          Failure::preempted,
                          false,
                          true});
  note(turn, NoteLevel::info,
       "an earlier process of this worker left " + std::to_string(input.lines.size()) +
           " lines that may not have been delivered");
  for (const TrialLine& line : input.lines)
    line_received(turn, {grant_.lease, line, Origin::output});
}

void Attempt::line_received(Turn& turn, const LineReceived& input) {
  if (lease_ == Lease::lost || over()) return;
  const bool ends_phase = std::holds_alternative<ReportLine>(input.line);
  delivery_.add(turn, input, ends_phase ? process_.take_trained(turn.now) : std::nullopt);
  if (delivery_.lines_wait()) process_.pause_clock(turn.now);
  advance(turn);
}

void Attempt::not_started(Turn& turn, const NotStarted& input) {
  if (!process_.is_running()) return;
  if (input.is_elsewhere) return is_elsewhere(turn, input.detail);
  cannot_start(turn, input.detail, input.fault_is_here);
}

void Attempt::exited(Turn& turn, const Exited& input) {
  if (!process_.is_running()) return;
  process_.exited(input);
  if (lease_ == Lease::lost) return forget(turn);
  advance(turn);
}

void Attempt::exceeded(Turn& turn, const LimitExceeded& input) {
  if (!process_.is_running() || exceeded_ == input.detail) return;
  exceeded_ = input.detail;
  note(turn, NoteLevel::warning, exceeded_);
  end_process(turn, {input.what == Exceeded::memory ? StopReason::memory_exceeded
                                                    : StopReason::disk_exceeded,
                     exceeded_});
}

void Attempt::replied(Turn& turn, CallId id, const Result<CallReply>& reply) {
  if (over()) return;
  const auto call = call_.settle(turn.now, id, reply);
  if (!call) return;
  if (!reply)
    return std::visit([&](const auto& one) { on_error(turn, one, reply.error()); }, *call);
  std::visit([&](const auto& one, const auto& answer) { on_reply(turn, one, answer); }, *call,
             *reply);
}

void Attempt::ordered(Turn& turn, Order order, bool stale_epoch) {
  if (lease_ == Lease::closed || over()) return;
  if (lease_ == Lease::unconfirmed && order != Order::gone) {
    lease_ = Lease::held;
    return advance(turn);
  }
  switch (order) {
    case Order::none:
      return;
    case Order::cancel:
      return end_process(turn, {StopReason::cancel});
    case Order::kill:
      return end_process(turn, {StopReason::kill});
    case Order::gone:
      break;
  }
  // The pending call may be what closed the lease; then its reply settles the matter.
  if (!call_.may_close_lease())
    lose(turn,
         stale_epoch ? "the server never granted it: a backup was restored"
                     : "the server gave its run to another worker",
         stale_epoch);
}

void Attempt::drain(Turn& turn, bool at_once) {
  if (over()) return;
  end_process(turn, {StopReason::drained});
  if (at_once) process_.hurry(turn, true);
}

void Attempt::tick(Turn& turn) {
  if (over()) return;
  if (auto limit = process_.tick(turn)) {
    note(turn, NoteLevel::warning, *limit);
    end_process(turn, {StopReason::timed_out, *std::move(limit)});
  }
  if (!call_.retry(turn)) advance(turn);
}

std::optional<Instant> Attempt::next_deadline() const {
  std::optional<Instant> next = process_.next_signal();
  if (over()) return std::nullopt;
  if (lease_ == Lease::lost) return next;
  const auto sooner = [&](std::optional<Instant> at) {
    if (at) next = next ? std::min(*next, *at) : *at;
  };
  sooner(process_.next_limit());
  sooner(call_.retry_at());
  if (call_.idle() && lease_ != Lease::unconfirmed) sooner(delivery_.flush_at());
  return next;
}

bool Attempt::holds_slots() const { return !over() && !process_.has_ended(); }

bool Attempt::wants_heartbeat() const {
  return lease_ == Lease::held || lease_ == Lease::unconfirmed;
}

// What follows ------------------------------------------------------------------------------------

void Attempt::advance(Turn& turn) {
  const bool may_call = lease_ == Lease::held || lease_ == Lease::closed;
  if (!may_call || !call_.idle()) return;
  if (auto call = delivery_.next(turn.now, process_.has_ended()))
    return call_.send(turn, *std::move(call));
  if (delivery_.take_delivered())
    turn.actions.emplace_back(Delivered{grant_.lease, delivery_.next_phase()});
  if (!process_.has_ended()) return;
  if (auto before = std::exchange(recorded_, std::nullopt))
    return call_.send(turn, RecordCode{grant_.lease, grant_.trainer, {}, std::move(before)});
  if (auto artifacts = process_.take_artifacts(); !artifacts.empty())
    return call_.send(turn, files_of(grant_, std::move(artifacts)));
  if (lease_ == Lease::closed) return forget(turn);
  call_.send(turn, EndCall{grant_.lease, end()});
}

void Attempt::fetch_inputs(Turn& turn) {
  if (grant_.inputs.empty()) return fetch_code(turn);
  call_.send(turn, FetchInputs{grant_.lease, grant_.inputs});
}

void Attempt::fetch_code(Turn& turn) {
  const auto* command = std::get_if<CommandTrainer>(&grant_.trainer);
  if (command == nullptr || !command->code) return prepare(turn);
  call_.send(turn, FetchCode{grant_.lease, *command->code});
}

// The code is recorded before the process starts: a commit that follows is not what it executes.
void Attempt::prepare(Turn& turn) {
  if (!records_code_) return spawn(turn);
  call_.send(turn, RecordCode{grant_.lease, grant_.trainer, code_});
}

void Attempt::spawn(Turn& turn) {
  process_.started(turn.now);
  phase_from_ = turn.now;
  turn.actions.emplace_back(
      Spawn{grant_, resume_path_, inputs_path_, gpus_, code_ ? code_->folder : std::string()});
}

void Attempt::cannot_start(Turn& turn, std::string detail, bool fault_is_here) {
  if (fault_is_here) turn.rest_until = turn.now + limits::rest;
  end_unstarted(turn, {fault_is_here ? EndReason::requeue_requested : EndReason::cannot_start,
                       0,
                       std::move(detail),
                       {},
                       fault_is_here ? Failure::infra : Failure::user_error});
}

// Another worker may have it, so the run is tried there, as often as limits.max_retries allows.
// This worker is in order.
void Attempt::is_elsewhere(Turn& turn, std::string detail) {
  end_unstarted(turn, {EndReason::cannot_start, 0, std::move(detail), {}, Failure::infra});
}

void Attempt::end_unstarted(Turn& turn, EndRequest end) {
  note(turn, NoteLevel::error, "cannot start: " + end.detail);
  recorded_.reset();
  process_.not_started(std::move(end));
  if (lease_ == Lease::lost) return forget(turn);
  advance(turn);
}

void Attempt::end_process(Turn& turn, Stop stop) {
  const bool fetching = process_.is_waiting();
  process_.stop(turn, std::move(stop));
  if (!fetching) return;
  call_.abandon();
  if (lease_ == Lease::lost) return forget(turn);
  advance(turn);
}

void Attempt::lose(Turn& turn, const std::string& why, bool refused) {
  refused_ = refused;
  note(turn, NoteLevel::warning, "its lease is lost: " + why);
  if (process_.has_ended()) return forget(turn);
  lease_ = Lease::lost;
  end_process(turn, {StopReason::lost});
}

void Attempt::forget(Turn& turn) {
  lease_ = Lease::forgotten;
  turn.actions.emplace_back(Forget{grant_.lease, refused_});
}

void Attempt::answer_line(Turn& turn, TrialAnswer answer) {
  if (delivery_.origin() == Origin::socket && process_.is_running())
    turn.actions.emplace_back(AnswerTrial{grant_.lease, std::move(answer)});
  delivery_.pop(turn);
  if (!delivery_.lines_wait()) process_.resume_clock(turn.now);
  advance(turn);
}

// A program that prints its lines gets no answer: its log is where its user looks.
void Attempt::log_refusal(Turn& turn, Sent what, const std::string& text) {
  const int count = ++refusals_[static_cast<std::size_t>(what)];
  if (count > limits::refusals_logged_max) return;
  const std::string line =
      text + (count == limits::refusals_logged_max ? " (further ones are not logged)" : "");
  note(turn, NoteLevel::warning, line);
  turn.actions.emplace_back(Remark{grant_.lease, line});
  if (process_.has_ended()) late_remarks_ += "[hone: " + line + "]\n";
}

EndRequest Attempt::end() {
  EndRequest end = process_.end({delivery_.next_phase(), grant_.budget.phases, refused_report_});
  if (late_remarks_.empty() || (end.log_tail.empty() && end.reason != EndReason::no_report))
    return end;
  if (!end.log_tail.empty() && !end.log_tail.ends_with('\n')) end.log_tail += '\n';
  end.log_tail += late_remarks_;
  if (end.log_tail.size() > limits::tail_bytes_max) {
    const auto line = end.log_tail.find('\n', end.log_tail.size() - limits::tail_bytes_max);
    end.log_tail.erase(0, line == std::string::npos ? 0 : line + 1);
  }
  return end;
}

void Attempt::note(Turn& turn, NoteLevel level, const std::string& text) const {
  turn.actions.emplace_back(Note{level, hone::text(grant_.attempt) + ": " + text});
}

}  // namespace hone::worker
