// The rules of a fleet: given a fleet, when its engine reports, then events.
#include "server/fleet/rules.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace hone {
namespace {

struct Given {
  Given() {
    fleet.id = FleetId{1};
    fleet.mark = "5eed";
    fleet.spec.name = "gpu";
    fleet.spec.max = 4;
  }

  std::vector<EventBody> when(const FleetNews& news) {
    auto events = reconcile(fleet, news, load, last, now);
    for (const EventBody& event : events) {
      evolve_fleet(fleet, event, now);
      if (const auto* wanted = std::get_if<PilotWanted>(&event)) last = wanted->pilot;
    }
    return events;
  }
  std::vector<EventBody> passes(Duration time) {
    now = now + time;
    return when({.fleet = fleet.id});
  }
  std::vector<EventBody> answered(PilotId pilot, Submission outcome, std::string text = "17",
                                  bool permanent = false) {
    const bool accepted = outcome == Submission::accepted;
    return when(
        {.fleet = fleet.id,
         .submitted = {{pilot, outcome, accepted ? text : "", accepted ? "" : text, permanent}}});
  }
  std::vector<EventBody> listed(std::vector<ListedPilot> pilots,
                                std::vector<std::string> silent = {}) {
    return when(
        {.fleet = fleet.id, .listing = Listing{std::move(pilots), seconds(60), std::move(silent)}});
  }
  void joined(PilotId pilot, WorkerId worker) { pilot_joined(fleet, pilot, worker, now); }
  // Accepts every submission that the fleet wants now.
  void accept_all() {
    FleetNews news{.fleet = fleet.id};
    for (const PilotOrder& order : order_of(fleet).submit)
      news.submitted.push_back(
          {order.pilot, Submission::accepted, "job" + std::to_string(order.pilot.value)});
    when(news);
  }

  Fleet fleet;
  FleetLoad load;
  PilotId last;
  Instant now{1'000'000'000};
};

template <class E>
int count(const std::vector<EventBody>& events) {
  return static_cast<int>(std::ranges::count_if(
      events, [](const EventBody& event) { return std::holds_alternative<E>(event); }));
}

template <class E>
const E& only(const std::vector<EventBody>& events) {
  EXPECT_EQ(count<E>(events), 1);
  return std::get<E>(*std::ranges::find_if(
      events, [](const EventBody& event) { return std::holds_alternative<E>(event); }));
}

TEST(FleetRules, want_nothing_without_work) {
  Given given;
  EXPECT_TRUE(given.passes(seconds(1)).empty());
}

TEST(FleetRules, want_pilots_for_waiting_runs_up_to_the_backlog) {
  Given given;
  given.load.waiting = 3;
  EXPECT_EQ(count<PilotWanted>(given.passes(seconds(1))), 2);
  EXPECT_EQ(given.fleet.want, 3);
  EXPECT_EQ(order_of(given.fleet).submit.size(), 2U);
  EXPECT_EQ(order_of(given.fleet).submit[0].token, "hone-5eed-pi_1");
}

TEST(FleetRules, never_submit_a_pilot_twice) {
  Given given;
  given.load.waiting = 1;
  given.passes(seconds(1));
  // The server ended before the engine answered.
  const auto events = given.passes(seconds(1));
  EXPECT_EQ(only<PilotSeen>(events).state, PilotState::unknown);
  EXPECT_TRUE(order_of(given.fleet).submit.empty());
  EXPECT_EQ(count<PilotWanted>(events), 0);
}

TEST(FleetRules, adopt_a_pilot_whose_answer_was_lost) {
  Given given;
  given.load.waiting = 1;
  given.passes(seconds(1));
  given.answered(PilotId{1}, Submission::unknown, "timed out");
  given.listed({{PilotId{1}, PilotState::running, false, "4711"}});
  EXPECT_EQ(given.fleet.pilots.at(PilotId{1}).handle, "4711");
  EXPECT_EQ(count<PilotWanted>(given.passes(seconds(600))), 0);
}

TEST(FleetRules, record_why_a_pilot_waits_when_the_reason_is_new) {
  Given given;
  given.load.waiting = 1;
  given.passes(seconds(1));
  given.accept_all();
  const auto listed = [&](const std::string& reason) {
    return given.listed({{PilotId{1}, PilotState::pending, false, "job1", reason}});
  };
  EXPECT_EQ(only<PilotSeen>(listed("PENDING: PartitionTimeLimit")).detail,
            "PENDING: PartitionTimeLimit");
  EXPECT_EQ(count<PilotSeen>(listed("")), 0);
}

TEST(FleetRules, adopt_a_pilot_that_was_given_up) {
  Given given;
  const auto events = given.listed({{PilotId{9}, PilotState::running, false, "4711"}});
  EXPECT_EQ(only<PilotSeen>(events).pilot, PilotId{9});
  EXPECT_EQ(given.fleet.pilots.at(PilotId{9}).rule, FleetRule::adopted);
}

TEST(FleetRules, one_list_without_a_pilot_proves_nothing) {
  Given given;
  given.load.waiting = 1;
  given.passes(seconds(1));
  given.accept_all();
  EXPECT_EQ(only<PilotSeen>(given.listed({})).state, PilotState::absent);
  given.now = given.now + seconds(30);
  EXPECT_EQ(count<PilotEnded>(given.listed({})), 0);
  given.now = given.now + seconds(31);
  EXPECT_EQ(only<PilotEnded>(given.listed({})).rule, FleetRule::vanished);
}

// A host that is down made every list incomplete: pilots that had left other hosts stayed for good.
TEST(FleetRules, a_silent_host_hides_its_own_pilots_alone) {
  Given given;
  given.load.waiting = 3;
  given.fleet.spec.backlog = 3;
  given.passes(seconds(1));
  given.when({.fleet = given.fleet.id,
              .submitted = {{PilotId{1}, Submission::accepted, "up/17"},
                            {PilotId{2}, Submission::accepted, "down/18"},
                            {PilotId{3}, Submission::unknown}}});
  given.load.waiting = 0;
  given.listed({}, {"down/"});
  given.now = given.now + seconds(61);
  EXPECT_EQ(only<PilotEnded>(given.listed({}, {"down/"})).pilot, PilotId{1});
  EXPECT_EQ(given.fleet.pilots.at(PilotId{2}).state, PilotState::pending);
  EXPECT_EQ(given.fleet.pilots.at(PilotId{3}).state, PilotState::unknown)
      << "it may have started on any host";
}

TEST(FleetRules, a_pilot_whose_submission_follows_is_not_forgotten) {
  Given given;
  given.load.waiting = 2;
  given.passes(seconds(1));
  given.when({.fleet = given.fleet.id,
              .submitted = {{PilotId{1}, Submission::accepted, "17"}},
              .queued = {PilotId{2}}});
  ASSERT_EQ(order_of(given.fleet).submit.size(), 1U);
  EXPECT_EQ(order_of(given.fleet).submit[0].pilot, PilotId{2});
  given.passes(seconds(1));  // as after a crash: no process will submit it
  EXPECT_EQ(given.fleet.pilots.at(PilotId{2}).state, PilotState::unknown);
  EXPECT_TRUE(order_of(given.fleet).submit.empty());
}

TEST(FleetRules, a_pilot_that_is_canceled_while_it_waits_for_its_submission_is_not_submitted) {
  Given given;
  given.load.waiting = 2;
  given.passes(seconds(1));
  given.fleet.state = FleetState::stopping;
  given.when({.fleet = given.fleet.id, .queued = {PilotId{1}, PilotId{2}}});
  EXPECT_TRUE(order_of(given.fleet).submit.empty());
}

// The limit of an account halted the fleet for good, as a wrong account does.
TEST(FleetRules, a_limit_of_jobs_keeps_what_was_accepted_and_is_tried_again) {
  Given given;
  given.load.waiting = 4;
  given.fleet.spec.backlog = 4;
  given.passes(seconds(1));
  const SubmitResult no_more{{},  Submission::rejected, {}, "QOSMaxSubmitJobPerUserLimit", false,
                             true};
  FleetNews news{.fleet = given.fleet.id, .submitted = {{PilotId{1}, Submission::accepted, "17"}}};
  for (const int number : {2, 3, 4}) {
    news.submitted.push_back(no_more);
    news.submitted.back().pilot = PilotId{number};
  }
  const auto events = given.when(news);
  EXPECT_EQ(count<PilotEnded>(events), 3);
  EXPECT_EQ(only<FleetDecided>(events).rule, FleetRule::limited);
  EXPECT_EQ(only<FleetDecided>(events).detail, "QOSMaxSubmitJobPerUserLimit");
  EXPECT_EQ(given.fleet.failures, 0);
  EXPECT_EQ(count<PilotWanted>(given.passes(limit_wait - seconds(1))), 0);
  EXPECT_EQ(count<PilotWanted>(given.passes(seconds(1))), 1) << "one, to see";
}

TEST(FleetRules, a_pilot_that_ends_under_a_limit_of_jobs_is_replaced_at_once) {
  Given given;
  given.load.waiting = 2;
  given.passes(seconds(1));
  given.when({.fleet = given.fleet.id,
              .submitted = {{PilotId{1}, Submission::accepted, "17"},
                            {PilotId{2}, Submission::rejected, {}, "no more", false, true}}});
  given.joined(PilotId{1}, WorkerId{5});
  const auto events = given.listed({{PilotId{1}, PilotState::ended, false, "17"}});
  EXPECT_EQ(count<PilotEnded>(events), 1);
  EXPECT_EQ(count<PilotWanted>(events), 1);
}

TEST(FleetRules, a_worker_with_a_lease_is_alive_whatever_the_list_names) {
  Given given;
  given.load.waiting = 1;
  given.passes(seconds(1));
  given.accept_all();
  given.joined(PilotId{1}, WorkerId{5});
  given.load = {.waiting = 0, .busy = {WorkerId{5}}};
  given.listed({});
  given.now = given.now + seconds(600);
  EXPECT_EQ(count<PilotEnded>(given.listed({})), 0);
}

TEST(FleetRules, a_permanent_rejection_halts_the_fleet_until_it_is_changed) {
  Given given;
  given.load.waiting = 2;
  given.passes(seconds(1));
  const auto events = given.answered(PilotId{1}, Submission::rejected, "invalid partition", true);
  EXPECT_EQ(only<FleetSteered>(events).state, FleetState::halted);
  EXPECT_EQ(only<FleetSteered>(events).detail, "invalid partition");
  EXPECT_EQ(count<PilotWanted>(given.passes(seconds(86'400))), 0);
  evolve_fleet(given.fleet, FleetSet{given.fleet.id, "again", "5eed", given.fleet.spec}, given.now);
  EXPECT_GT(count<PilotWanted>(given.passes(seconds(1))), 0);
}

TEST(FleetRules, failures_before_a_join_back_off_then_probe_one_by_one) {
  Given given;
  given.load.waiting = 4;
  given.fleet.spec.backlog = 4;
  given.fleet.failures = failures_before_probe;
  given.fleet.failed_at = given.now;
  EXPECT_EQ(only<FleetDecided>(given.passes(seconds(1))).rule, FleetRule::back_off);
  const auto events = given.passes(back_off(failures_before_probe));
  EXPECT_EQ(only<PilotWanted>(events).rule, FleetRule::probe);
  given.accept_all();
  given.joined(given.last, WorkerId{1});
  EXPECT_EQ(given.fleet.failures, 0);
}

TEST(FleetRules, waits_grow_to_an_hour) {
  EXPECT_EQ(back_off(0), seconds(0));
  for (int n = 1; n < 20; ++n) EXPECT_GE(back_off(n + 1), back_off(n));
  EXPECT_EQ(back_off(1000), seconds(3600));
}

TEST(FleetRules, cancel_what_is_over_max_the_pending_ones_first) {
  Given given;
  given.load.waiting = 2;
  given.passes(seconds(1));
  given.accept_all();
  given.joined(PilotId{1}, WorkerId{1});
  given.fleet.spec.max = 1;
  const auto events = given.passes(seconds(1));
  EXPECT_EQ(only<PilotCanceled>(events).pilot, PilotId{2});
  EXPECT_EQ(only<PilotCanceled>(events).rule, FleetRule::over_max);
  EXPECT_EQ(order_of(given.fleet).cancel.at(0).handle, "job2");
}

TEST(FleetRules, cancel_pending_pilots_only_after_the_idle_time) {
  Given given;
  given.load.waiting = 1;
  given.passes(seconds(1));
  given.accept_all();
  given.load.waiting = 0;
  EXPECT_EQ(count<PilotCanceled>(given.passes(seconds(1))), 0);
  EXPECT_EQ(only<PilotCanceled>(given.passes(given.fleet.spec.idle)).rule, FleetRule::surplus);
}

TEST(FleetRules, a_stopped_fleet_ends_after_its_last_pilot) {
  Given given;
  given.load.waiting = 1;
  given.passes(seconds(1));
  given.accept_all();
  evolve_fleet(given.fleet, FleetSteered{given.fleet.id, FleetState::stopping, ""}, given.now);
  EXPECT_EQ(only<PilotCanceled>(given.passes(seconds(1))).rule, FleetRule::stopping);
  const auto events = given.listed({{PilotId{1}, PilotState::ended, false, "job1"}});
  EXPECT_EQ(only<FleetSteered>(events).state, FleetState::stopped);
}

TEST(FleetRules, those_of_the_minimum_stay_when_they_are_idle) {
  Given given;
  given.fleet.spec.min = 1;
  given.passes(seconds(1));
  EXPECT_TRUE(order_of(given.fleet).submit.at(0).stays);
}

TEST(FleetRules, tokens_are_read_back_and_others_are_not_ours) {
  const auto token = parse_pilot_token(pilot_token("1a2b", PilotId{42}));
  ASSERT_TRUE(token);
  EXPECT_EQ(token->mark, "1a2b");
  EXPECT_EQ(token->pilot, PilotId{42});
  for (const char* other : {"", "hone-", "hone-1a2b", "hone-1a2b-", "hone-1a2b-pi_", "hone-x-wk_1",
                            "my-job-pi_1", "hone-1a2b-pi_01"})
    EXPECT_FALSE(parse_pilot_token(other)) << other;
}

}  // namespace
}  // namespace hone
