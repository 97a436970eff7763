// What the reply to each call of an attempt leads to, and each error.
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "worker/agent/attempt.hpp"

namespace hone::worker {
namespace {

bool is_gone(const Error& error) {
  return error.code == Code::stale_lease || error.code == Code::stale_epoch ||
         error.code == Code::not_found;
}

// The place of a point in "/points/3/name".
std::optional<std::size_t> point_in(const std::string& at) {
  constexpr std::string_view list = "/points/";
  std::size_t place = 0;
  if (!at.starts_with(list)) return std::nullopt;
  const char* begin = at.data() + list.size();
  const auto read = std::from_chars(begin, at.data() + at.size(), place);
  return read.ptr == begin ? std::nullopt : std::optional(place);
}

}  // namespace

void Attempt::on_reply(Turn& turn, const FetchBlob&, const FetchedBlob& reply) {
  resume_path_ = reply.path;
  fetch_inputs(turn);
}

void Attempt::on_reply(Turn& turn, const FetchInputs&, const FetchedInputs& reply) {
  inputs_path_ = reply.folder;
  fetch_code(turn);
}

void Attempt::on_reply(Turn& turn, const FetchCode&, const UnpackedCode& reply) {
  code_ = reply;
  prepare(turn);
}

void Attempt::on_reply(Turn& turn, const StoreBlob&, const StoredBlob& reply) {
  delivery_.stored(reply);
  advance(turn);
}

void Attempt::on_reply(Turn& turn, const SaveModelCall& call, const SaveModelReply&) {
  delivery_.saved();
  answer_line(turn, Saved{call.request.sha256});
}

void Attempt::on_reply(Turn& turn, const ReportCall& call, const ReportReply& reply) {
  const Verdict& verdict = reply.verdict;
  delivery_.reported(call.request.phase, call.request.step);
  if (verdict.action != Action::go_on) {
    // A stop or a pause: either way the server has closed the lease.
    lease_ = Lease::closed;
    end_process(turn, {StopReason::closed});
    // A program without SDK gets no answers; after its last phase it is about to exit anyway.
    if (delivery_.origin() != Origin::socket && verdict.reason != VerdictReason::last_phase)
      process_.hurry(turn, false);
  }
  answer_line(turn, verdict);
  const Duration phase = turn.now - phase_from_;
  phase_from_ = turn.now;
  // A quarter more: the next one may be longer.
  const bool next_fits = !last_ || turn.now + phase + Duration{phase.us / 4} <= *last_;
  if ((leaving_ || !next_fits) && verdict.action == Action::go_on && !over())
    end_process(turn, {StopReason::drained});
}

void Attempt::on_reply(Turn& turn, const MetricsCall&, const Done&) {
  if (const auto dropped = delivery_.take_dropped(); dropped > 0)
    note(turn, NoteLevel::warning,
         std::to_string(dropped) +
             " metric points were dropped: it logs faster than the server accepts them");
  advance(turn);
}

void Attempt::on_reply(Turn& turn, const KeepFiles&, const Done&) { advance(turn); }

void Attempt::on_reply(Turn& turn, const EndCall&, const Done&) { forget(turn); }

// A program may read its files after they were recorded: those of a folder that others may change
// are read again at its end.
void Attempt::on_reply(Turn& turn, const RecordCode& call, const RecordedCode& reply) {
  if (call.before) return advance(turn);
  if (std::holds_alternative<CommandTrainer>(grant_.trainer) && !code_) recorded_ = reply.workflow;
  spawn(turn);
}

void Attempt::on_error(Turn& turn, const FetchBlob&, const Error& error) {
  const std::string what =
      "cannot fetch the checkpoint " + text(grant_.resume->id) + " to continue from: ";
  cannot_start(turn, what + error.detail, error.code == Code::internal);
}

void Attempt::on_error(Turn& turn, const FetchInputs&, const Error& error) {
  cannot_start(turn, "cannot fetch the files of an earlier step: " + error.detail,
               error.code == Code::internal);
}

void Attempt::on_error(Turn& turn, const FetchCode&, const Error& error) {
  cannot_start(turn, "cannot fetch the code of the sweep: " + error.detail,
               error.code == Code::internal);
}

// What a program still reports under a lease that a verdict closed needs no remark.
void Attempt::refuse_line(Turn& turn, Sent what, const Error& error) {
  const std::string text = std::string(what == Sent::report ? "its report" : "its checkpoint") +
                           " was refused: " + error.detail;
  if (what == Sent::report && refused_report_.empty()) refused_report_ = text;
  if (lease_ != Lease::closed || !is_gone(error)) log_refusal(turn, what, text);
  answer_line(turn, error);
}

// The file is wrong, or not the lease.
void Attempt::on_error(Turn& turn, const StoreBlob&, const Error& error) {
  refuse_line(turn, Sent::checkpoint, error);
}

// The server that got the bytes may have been replaced by its standby, which lacks them.
void Attempt::on_error(Turn& turn, const SaveModelCall&, const Error& error) {
  const bool bytes_missing = error.code == Code::invalid && error.at == "/sha256";
  if (bytes_missing && delivery_.lost()) return advance(turn);
  if (loses_lease(turn, error)) return;
  refuse_line(turn, Sent::checkpoint, error);
}

void Attempt::on_error(Turn& turn, const ReportCall& call, const Error& error) {
  if (loses_lease(turn, error)) return;
  if (lease_ == Lease::closed) delivery_.pass_over(call.request.step);
  refuse_line(turn, Sent::report, error);
}

// A server that knows other rules refuses a batch for one of its points: the others are sent again.
void Attempt::on_error(Turn& turn, const MetricsCall& call, const Error& error) {
  if (loses_lease(turn, error)) return;
  const auto place = point_in(error.at);
  if (!place || *place >= call.request.points.size()) {
    log_refusal(turn, Sent::point, "metric points were refused: " + error.detail);
    return advance(turn);
  }
  MetricsCall others = call;
  auto& points = others.request.points;
  log_refusal(turn, Sent::point,
              "a point of the metric " + points[*place].name + " was refused: " + error.detail);
  points.erase(points.begin() + static_cast<std::ptrdiff_t>(*place));
  if (points.empty()) return advance(turn);
  call_.send(turn, std::move(others));
}

void Attempt::on_error(Turn& turn, const KeepFiles&, const Error& error) {
  log_refusal(turn, Sent::files, "its files were not kept: " + error.detail);
  // Later steps would miss them.
  if (grant_.step) process_.lose_files(error);
  advance(turn);
}

// A server of an earlier version refuses the member, and counts such an end as a preemption.
void Attempt::on_error(Turn& turn, const EndCall& call, const Error& error) {
  if (call.request.worker_killed && error.code == Code::invalid) {
    EndCall older = call;
    older.request.worker_killed = false;
    return call_.send(turn, std::move(older));
  }
  refused_ = error.code == Code::stale_epoch;
  if (!is_gone(error)) note(turn, NoteLevel::error, "its end was rejected: " + error.detail);
  forget(turn);
}

// A server of an earlier version has no such route.
void Attempt::on_error(Turn& turn, const RecordCode& call, const Error& error) {
  if (call.before) return loses_lease(turn, error) ? void() : advance(turn);
  if (error.code != Code::not_found && loses_lease(turn, error)) return;
  note(turn, NoteLevel::warning, "its code was not recorded: " + error.detail);
  spawn(turn);
}

// A verdict that closed the lease explains why the server no longer knows it.
bool Attempt::loses_lease(Turn& turn, const Error& error) {
  if (!is_gone(error) || lease_ == Lease::closed) return false;
  lose(turn, error.detail, error.code == Code::stale_epoch);
  return true;
}

}  // namespace hone::worker
