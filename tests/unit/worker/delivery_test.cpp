// The parts of an attempt one by one: lines on their way to the server, the pending call, and the
// control of the process. How they work together is tested in attempt_test.cpp and ending_test.cpp.
#include "worker/agent/delivery.hpp"

#include <csignal>

#include "tests/unit/worker/given.hpp"
#include "worker/agent/limits.hpp"
#include "worker/agent/pending_call.hpp"
#include "worker/agent/process_control.hpp"

namespace hone::worker {
namespace {

// What the agent lends to an attempt.
struct GivenTurn {
  Instant now{1'000'000'000};
  Actions actions{};
  std::vector<std::pair<CallId, LeaseId>> calls{};
  CallId last_call = 0;
  Instant rest_until{};

  Turn turn() { return {now, actions, calls, last_call, rest_until}; }
  template <class T>
  std::size_t count() const {
    return static_cast<std::size_t>(std::count_if(
        actions.begin(), actions.end(), [](auto& one) { return std::holds_alternative<T>(one); }));
  }
};

ReportLine report_at(std::int64_t step) { return {std::nullopt, step, Score::of(1)}; }

LeaseGrant grant_with(std::vector<std::string> artifacts) {
  LeaseGrant grant = small_grant();
  std::get<CommandTrainer>(grant.trainer).artifacts = std::move(artifacts);
  return grant;
}

// Delivery ----------------------------------------------------------------------------------------

class DeliveryQueue : public testing::Test {
 protected:
  void add(TrialLine line, Origin origin = Origin::socket) {
    auto turn = given.turn();
    delivery.add(turn, {LeaseId{1}, std::move(line), origin}, std::nullopt);
  }
  void add_points(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) add(MetricPoint{"loss", static_cast<int>(i), 1});
  }
  template <class T>
  T next(bool flush = false) {
    const auto call = delivery.next(given.now, flush);
    EXPECT_TRUE(call && std::holds_alternative<T>(*call));
    return call && std::holds_alternative<T>(*call) ? std::get<T>(*call) : T{};
  }
  void pop() {
    auto turn = given.turn();
    delivery.pop(turn);
  }

  GivenTurn given;
  Delivery delivery{small_grant(), {.resumable = true}};
};

TEST_F(DeliveryQueue, is_empty_at_first) {
  EXPECT_FALSE(delivery.next(given.now, true));
  EXPECT_FALSE(delivery.take_delivered());
  EXPECT_FALSE(delivery.flush_at());
  EXPECT_FALSE(delivery.lines_wait());
}

TEST_F(DeliveryQueue, is_delivered_once_after_the_last_line) {
  add(report_at(10));
  add_points(1);
  EXPECT_FALSE(delivery.take_delivered());
  next<MetricsCall>();
  EXPECT_FALSE(delivery.take_delivered());
  pop();
  EXPECT_TRUE(delivery.take_delivered());
  EXPECT_FALSE(delivery.take_delivered());
  add(report_at(20));
  pop();
  EXPECT_TRUE(delivery.take_delivered()) << "and again after further lines";
}

TEST_F(DeliveryQueue, tells_servers_that_know_it_of_a_run_without_a_checkpoint) {
  add(report_at(10));
  EXPECT_EQ(next<ReportCall>().request.resumable, false);
  delivery = Delivery(small_grant(), {});
  add(report_at(10));
  EXPECT_EQ(next<ReportCall>().request.resumable, std::nullopt);
}

TEST_F(DeliveryQueue, stores_a_checkpoint_before_it_records_it) {
  add(CheckpointLine{"p0.pt", 10, std::nullopt}, Origin::output);
  EXPECT_EQ(delivery.origin(), Origin::output);
  EXPECT_EQ(next<StoreBlob>().path, "p0.pt");
  EXPECT_EQ(next<StoreBlob>().path, "p0.pt") << "next() changes nothing of a line";
  delivery.stored({"abc", 5});
  const auto save = next<SaveModelCall>().request;
  EXPECT_EQ(save.sha256, "abc");
  EXPECT_EQ(save.bytes, 5);
  EXPECT_EQ(save.step, 10);
}

// After its last phase a program may still save a checkpoint: it belongs to that phase.
TEST_F(DeliveryQueue, counts_phases_by_the_verdicts) {
  add(report_at(10));
  EXPECT_EQ(next<ReportCall>().request.phase, 0);
  delivery.reported(2, 30);
  EXPECT_EQ(delivery.next_phase(), 3);
  delivery.reported(0, 10);
  EXPECT_EQ(delivery.next_phase(), 3) << "an old report answered again";
  pop();
  add(CheckpointLine{"last.pt", 30, std::nullopt});
  delivery.stored({"abc", 5});
  EXPECT_EQ(next<SaveModelCall>().request.phase, 2);
}

TEST_F(DeliveryQueue, sends_points_after_their_period_or_in_a_full_batch) {
  add_points(1);
  EXPECT_FALSE(delivery.next(given.now, false));
  EXPECT_EQ(delivery.flush_at(), given.now + limits::flush_period);
  add_points(1);
  EXPECT_EQ(delivery.flush_at(), given.now + limits::flush_period) << "of the first point";
  given.now = *delivery.flush_at();
  EXPECT_EQ(next<MetricsCall>().request.points.size(), 2U);
  EXPECT_FALSE(delivery.flush_at());
  add_points(limits::flush_points - 1);
  EXPECT_FALSE(delivery.next(given.now, false));
  add_points(1);
  EXPECT_EQ(next<MetricsCall>().request.points.size(), limits::flush_points);
}

TEST_F(DeliveryQueue, sends_points_of_a_process_that_has_ended_at_once) {
  add_points(3);
  EXPECT_EQ(next<MetricsCall>(true).request.points.size(), 3U);
}

TEST_F(DeliveryQueue, splits_points_into_batches_that_are_all_due) {
  add_points(limits::batch_points_max + 1);
  EXPECT_EQ(next<MetricsCall>().request.points.size(), limits::batch_points_max);
  EXPECT_EQ(delivery.flush_at(), given.now);
  EXPECT_EQ(next<MetricsCall>().request.points.size(), 1U);
}

TEST_F(DeliveryQueue, drops_the_oldest_points_and_counts_them) {
  add_points(limits::points_max + 5);
  EXPECT_EQ(delivery.take_dropped(), 5);
  EXPECT_EQ(delivery.take_dropped(), 0);
  EXPECT_EQ(next<MetricsCall>().request.points.front().step, 5);
}

TEST_F(DeliveryQueue, holds_the_process_from_its_limit_to_half_of_it) {
  for (std::size_t i = 1; i < limits::waiting_lines_max; ++i) add(report_at(1));
  EXPECT_EQ(given.count<Hold>(), 0U);
  add(report_at(1));
  ASSERT_EQ(given.count<Hold>(), 1U);
  add(report_at(1));
  EXPECT_EQ(given.count<Hold>(), 1U) << "once";
  for (std::size_t i = 0; i < limits::waiting_lines_max / 2; ++i) pop();
  EXPECT_EQ(given.count<Hold>(), 1U);
  pop();
  ASSERT_EQ(given.count<Hold>(), 2U);
  EXPECT_FALSE(std::get<Hold>(given.actions.back()).held);
}

// The pending call --------------------------------------------------------------------------------

class OneCall : public testing::Test {
 protected:
  CallId send(LeaseCall request) {
    auto turn = given.turn();
    call.send(turn, std::move(request));
    return given.last_call;
  }
  bool retry() {
    auto turn = given.turn();
    return call.retry(turn);
  }

  GivenTurn given;
  PendingCall call{LeaseId{1}, 7};
};

TEST_F(OneCall, is_settled_by_its_own_reply_only) {
  const CallId id = send(StoreBlob{LeaseId{1}, "a"});
  EXPECT_EQ(given.calls.back(), (std::pair{id, LeaseId{1}}));
  EXPECT_FALSE(call.settle(given.now, id + 1, CallReply{Done{}}));
  EXPECT_FALSE(call.idle());
  const auto settled = call.settle(given.now, id, CallReply{StoredBlob{}});
  ASSERT_TRUE(settled);
  EXPECT_EQ(std::get<StoreBlob>(*settled).path, "a");
  EXPECT_TRUE(call.idle());
  EXPECT_FALSE(call.settle(given.now, id, CallReply{StoredBlob{}})) << "once";
}

TEST_F(OneCall, is_retried_under_a_new_id_when_it_is_due) {
  for (const Code code : {Code::unavailable, Code::timed_out, Code::busy, Code::rate_limited}) {
    const CallId id = send(StoreBlob{LeaseId{1}, "a"});
    EXPECT_FALSE(call.settle(given.now, id, refuse(code, "later")));
    ASSERT_TRUE(call.retry_at());
    EXPECT_FALSE(retry());
    given.now = *call.retry_at();
    EXPECT_TRUE(retry());
    EXPECT_FALSE(call.retry_at());
    EXPECT_EQ(std::get<StoreBlob>(std::get<Send>(given.actions.back()).call).path, "a");
    EXPECT_FALSE(call.settle(given.now, id, CallReply{Done{}})) << "a late reply to the first try";
    EXPECT_TRUE(call.settle(given.now, id + 1, CallReply{Done{}}));
  }
}

TEST_F(OneCall, is_settled_by_the_last_of_many_internal_errors) {
  CallId id = send(StoreBlob{LeaseId{1}, "a"});
  for (int i = 1; i < limits::internal_errors_max; ++i, ++id) {
    EXPECT_FALSE(call.settle(given.now, id, refuse(Code::internal, "a bug")));
    given.now = *call.retry_at();
    ASSERT_TRUE(retry());
  }
  EXPECT_TRUE(call.settle(given.now, id, refuse(Code::internal, "a bug")));
}

TEST_F(OneCall, is_settled_by_every_other_error) {
  for (const Code code : {Code::invalid, Code::not_found, Code::conflict, Code::stale_lease,
                          Code::forbidden, Code::too_large, Code::unauthenticated}) {
    const CallId id = send(StoreBlob{LeaseId{1}, "a"});
    EXPECT_TRUE(call.settle(given.now, id, refuse(code, "no")));
  }
}

TEST_F(OneCall, may_close_the_lease_if_it_is_a_report_or_an_end) {
  EXPECT_FALSE(call.may_close_lease());
  send(StoreBlob{LeaseId{1}, "a"});
  EXPECT_FALSE(call.may_close_lease());
  call.abandon();
  EXPECT_TRUE(call.idle());
  const CallId id = send(ReportCall{LeaseId{1}, {}});
  EXPECT_TRUE(call.may_close_lease());
  call.settle(given.now, id, refuse(Code::busy, "later"));
  EXPECT_TRUE(call.may_close_lease()) << "while it waits, too";
  call.abandon();
  send(EndCall{LeaseId{1}, {}});
  EXPECT_TRUE(call.may_close_lease());
}

// The process -------------------------------------------------------------------------------------

class Process : public testing::Test {
 protected:
  void stop(StopReason reason, std::string detail = {}) {
    auto turn = given.turn();
    process.stop(turn, {reason, std::move(detail)});
  }
  std::optional<std::string> after(Duration wait) {
    given.now = given.now + wait;
    auto turn = given.turn();
    return process.tick(turn);
  }
  void exit(int number = 0) { process.exited({LeaseId{1}, false, number, "tail\n"}); }

  GivenTurn given;
  ProcessControl process{grant_with({"*.png"})};
};

TEST_F(Process, that_has_not_started_is_ended_without_a_signal) {
  EXPECT_TRUE(process.is_waiting());
  stop(StopReason::cancel);
  EXPECT_TRUE(process.has_ended());
  EXPECT_TRUE(given.actions.empty());
  EXPECT_EQ(process.end({0, 3}).reason, EndReason::user_cancel);
}

TEST_F(Process, gets_term_and_kill_after_their_grace) {
  process.started(given.now);
  EXPECT_FALSE(process.next_signal());
  stop(StopReason::closed);
  EXPECT_EQ(process.next_signal(), given.now + limits::exit_grace);
  after(limits::exit_grace);
  EXPECT_EQ(given.count<Terminate>(), 1U);
  EXPECT_EQ(process.next_signal(), given.now + limits::term_grace);
  after(limits::term_grace);
  EXPECT_EQ(given.count<Kill>(), 1U);
  EXPECT_FALSE(process.next_signal());
  after(seconds(60));
  EXPECT_EQ(given.actions.size(), 2U) << "each once";
  EXPECT_TRUE(process.is_running());
}

// Every pair of reasons: the later one of the list wins, whichever comes first.
TEST_F(Process, ends_for_the_strongest_of_its_reasons) {
  const std::vector<std::pair<StopReason, EndReason>> reasons{
      {StopReason::timed_out, EndReason::time_limit},
      {StopReason::disk_exceeded, EndReason::disk_limit},
      {StopReason::drained, EndReason::requeue_requested},
      {StopReason::cancel, EndReason::user_cancel},
      {StopReason::kill, EndReason::user_kill}};
  for (std::size_t i = 0; i < reasons.size(); ++i)
    for (std::size_t j = 0; j < reasons.size(); ++j) {
      given = {};
      process = ProcessControl(small_grant());
      process.started(given.now);
      stop(reasons[i].first);
      stop(reasons[j].first);
      EXPECT_LE(given.count<Terminate>(), 1U);
      EXPECT_LE(given.count<Kill>(), 1U);
      EXPECT_GE(given.actions.size(), 1U);
      exit(143);
      EXPECT_EQ(process.end({1, 3}).reason, reasons[std::max(i, j)].second) << i << " " << j;
    }
}

TEST_F(Process, that_is_ended_for_another_reason_keeps_its_grace) {
  process.started(given.now);
  stop(StopReason::drained);
  const auto kill_at = process.next_signal();
  given.now = given.now + seconds(4);
  stop(StopReason::cancel);
  EXPECT_EQ(process.next_signal(), kill_at);
  EXPECT_EQ(given.count<Terminate>(), 1U);
}

TEST_F(Process, is_hurried_only_while_it_is_being_ended) {
  process.started(given.now);
  auto turn = given.turn();
  process.hurry(turn, true);
  EXPECT_TRUE(given.actions.empty());
  stop(StopReason::closed);
  process.hurry(turn, false);
  process.hurry(turn, false);
  EXPECT_EQ(given.count<Terminate>(), 1U);
  process.hurry(turn, true);
  process.hurry(turn, true);
  process.hurry(turn, false);
  EXPECT_EQ(given.count<Kill>(), 1U);
  EXPECT_EQ(given.actions.size(), 2U);
}

TEST_F(Process, has_files_to_keep_unless_it_was_killed_or_never_ran) {
  process.started(given.now);
  EXPECT_TRUE(process.take_artifacts().empty()) << "it still runs";
  exit();
  EXPECT_EQ(process.take_artifacts(), std::vector<std::string>{"*.png"});
  EXPECT_TRUE(process.take_artifacts().empty()) << "once";
  process = ProcessControl(grant_with({"*.png"}));
  process.started(given.now);
  stop(StopReason::kill);
  exit(SIGKILL);
  EXPECT_TRUE(process.take_artifacts().empty());
  process = ProcessControl(grant_with({"*.png"}));
  process.not_started({EndReason::cannot_start, 0, "no program", {}, Failure::user_error});
  EXPECT_TRUE(process.take_artifacts().empty());
}

TEST_F(Process, that_exits_is_judged_by_the_reports_so_far) {
  process.started(given.now);
  exit();
  EXPECT_EQ(process.end({0, 3}).reason, EndReason::no_report);
  EXPECT_EQ(process.end({2, 3}).reason, EndReason::exited_early);
  EXPECT_EQ(process.end({3, 3}).reason, EndReason::budget_reached);
}

TEST_F(Process, that_exceeds_a_limit_is_named_with_it) {
  process.started(given.now);
  stop(StopReason::timed_out, "too long");
  exit(143);
  const EndRequest end = process.end({1, 3});
  EXPECT_EQ(end.detail, "too long");
  EXPECT_EQ(end.exit_code, 143);
  EXPECT_EQ(end.log_tail, "tail\n");
  EXPECT_EQ(end.failure, Failure::timed_out);
}

TEST_F(Process, is_not_timed_while_it_waits_or_is_being_ended) {
  LeaseGrant grant = small_grant();
  grant.limits = {seconds(60), seconds(20)};
  process = ProcessControl(grant);
  process.started(given.now);
  EXPECT_EQ(process.next_limit(), given.now + seconds(20));
  EXPECT_FALSE(after(seconds(19)));
  process.pause_clock(given.now);
  EXPECT_FALSE(process.next_limit());
  EXPECT_FALSE(after(seconds(1000)));
  process.resume_clock(given.now);
  for (int i = 0; i < 2; ++i) {  // 19 s more each
    EXPECT_FALSE(after(seconds(19)));
    process.pause_clock(given.now);
    process.resume_clock(given.now);
  }
  EXPECT_EQ(process.next_limit(), given.now + seconds(3)) << "57 of 60 s are used up";
  const auto limit = after(seconds(3));
  ASSERT_TRUE(limit);
  EXPECT_NE(limit->find("limits.run"), std::string::npos);
  stop(StopReason::timed_out, *limit);
  EXPECT_FALSE(process.next_limit());
  process.resume_clock(given.now);
  EXPECT_FALSE(process.next_limit()) << "it is being ended";
}

}  // namespace
}  // namespace hone::worker
