// search.warm_start: what a new sweep learns from earlier ones, and what does not fit.
#include "server/sweep/submit/warm_start.hpp"

#include <gtest/gtest.h>

#include "tests/unit/sweep/given.hpp"

namespace hone {
namespace {

// Three trials of x in [0, 1]: two completed, one still running.
SweepId earlier_sweep(Given& given, const SweepSpec& spec = small_spec(4, 2)) {
  const SweepId id = given.submit(spec, "earlier");
  const WorkerId worker = given.join();
  const auto first = given.acquire(worker, "a1");
  given.report(first->lease, 0, Score::of(1));
  given.report(first->lease, 1, Score::of(5));
  const auto second = given.acquire(worker, "a2");
  given.report(second->lease, 0, Score::of(3));
  given.report(second->lease, 1, Score::of(4));
  given.acquire(worker, "a3");
  return id;
}

SweepSpec warmed(SweepId earlier) {
  SweepSpec spec = small_spec(4, 4);
  spec.search.warm_start = {earlier};
  return spec;
}

TEST(WarmStart, takes_finished_trials_and_leaves_out_those_of_which_nothing_is_known) {
  Given given;
  const SweepId earlier = earlier_sweep(given);
  const SweepId id = given.submit(warmed(earlier), "later");
  const History& history = given.sweep(id).history;
  ASSERT_EQ(history.foreign(), 2U);
  EXPECT_EQ(history.outcome(0).grade, TrialOutcome::Grade::finished);
  EXPECT_DOUBLE_EQ(history.outcome(0).merit, 5);
  EXPECT_EQ(history.outcome(0).phase, 3);  // the last of two phases is the last of four
  EXPECT_EQ(history.ranked().front(), 0U);
  EXPECT_EQ(history.point(0)[0], given.sweep(earlier).history.point(0)[0]);
}

TEST(WarmStart, its_own_trials_are_numbered_from_zero_and_follow_in_the_history) {
  Given given;
  const SweepId id = given.submit(warmed(earlier_sweep(given)), "later");
  given.when(Steer{SweepId{1}, {Verb::kill}});
  const auto grant = given.acquire(given.join("other"), "b1");
  ASSERT_TRUE(grant);
  EXPECT_EQ(grant->sweep, id);
  const Trial& trial = *find_trial(given.book, grant->attempt.run.trial);
  EXPECT_EQ(trial.number, 0);
  given.report(grant->lease, 0, Score::of(2));
  EXPECT_EQ(given.sweep(id).history.outcome(2).phase, 0);
}

TEST(WarmStart, leaves_out_trials_whose_values_lie_outside_or_are_missing) {
  Given given;
  const SweepId earlier = earlier_sweep(given);
  SweepSpec narrow = warmed(earlier);
  const double x = given.sweep(earlier).history.point(0)[0];
  narrow.parameters = {{"x", FloatDomain{x - 1e-9, x + 1e-9, Scale::linear, {}}, ""}};
  EXPECT_EQ(given.sweep(given.submit(narrow, "narrow")).history.foreign(), 1U);
}

// 78 trials without a value for `clip` were ignored, and no screen named the count.
TEST(WarmStart, counts_the_trials_that_it_uses) {
  Given given;
  const SweepId earlier = earlier_sweep(given);
  const auto learned = [&](const SweepSpec& spec, const std::string& request) {
    const Events events = given.when(Submit{{request, spec, {}}});
    EXPECT_FALSE(given.error) << given.error->detail;
    for (const EventBody& body : events)
      if (const auto* submitted = std::get_if<SweepSubmitted>(&body)) return submitted->learned;
    return std::vector<Learned>{};
  };
  EXPECT_EQ(learned(warmed(earlier), "all"), (std::vector<Learned>{{earlier, 2, 2}}));
  SweepSpec narrow = warmed(earlier);
  const double x = given.sweep(earlier).history.point(0)[0];
  narrow.parameters = {{"x", FloatDomain{x - 1e-9, x + 1e-9, Scale::linear, {}}, ""}};
  EXPECT_EQ(learned(narrow, "narrow"), (std::vector<Learned>{{earlier, 1, 2}}));
  EXPECT_EQ(learned(small_spec(), "none"), std::vector<Learned>{});
}

TEST(WarmStart, a_sweep_of_which_no_trial_fits_is_refused_with_the_reason) {
  Given given;
  const SweepId earlier = earlier_sweep(given);
  const auto refused = [&](const SweepSpec& spec, const std::string& why) {
    given.when(Submit{{"none " + why, spec, {}}});
    ASSERT_TRUE(given.error) << why;
    EXPECT_EQ(given.error->at, "/spec/search/warm_start/0");
    EXPECT_NE(given.error->detail.find("0 of 2 trials of sw_1 lie in this space"),
              std::string::npos)
        << given.error->detail;
    EXPECT_NE(given.error->detail.find(why), std::string::npos) << given.error->detail;
  };
  SweepSpec more = warmed(earlier);
  more.parameters.push_back({"y", FloatDomain{0, 1, Scale::linear, {}}, ""});
  refused(more, "'y' has no value");
  SweepSpec beyond = warmed(earlier);
  beyond.parameters = {{"x", FloatDomain{2, 3, Scale::linear, {}}, ""}};
  refused(beyond, "is not in [2, 3]; the nearest value is 2");
  SweepSpec bound = warmed(earlier);
  bound.parameters = {{"x", FloatDomain{0, 3, Scale::linear, {}}, ""}};
  bound.constraints = {"x > 2"};
  refused(bound, "a constraint does not hold");
}

TEST(WarmStart, refuses_unknown_sweeps_and_other_objectives_with_their_place) {
  Given given;
  const SweepId earlier = earlier_sweep(given);
  given.when(Submit{{"unknown", warmed(SweepId{99}), {}}});
  ASSERT_TRUE(given.error);
  EXPECT_EQ(given.error->at, "/spec/search/warm_start/0");
  SweepSpec other = warmed(earlier);
  other.objective.metric = "loss";
  given.when(Submit{{"other", other, {}}});
  ASSERT_TRUE(given.error);
  EXPECT_NE(given.error->detail.find("(maximize 'score') than this sweep (maximize 'loss')"),
            std::string::npos)
      << given.error->detail;
}

TEST(WarmStart, what_the_earlier_sweep_learns_later_changes_nothing) {
  Given given;
  const SweepId earlier = earlier_sweep(given);
  const SweepId id = given.submit(warmed(earlier), "later");
  const auto lease = given.run({given.sweep(earlier).trials[2], 0}).lease;
  given.report(lease, 0, Score::of(100));
  EXPECT_EQ(given.sweep(id).history.foreign(), 2U);
}

TEST(WarmStart, maps_a_stopped_trial_to_the_same_share_of_the_new_phases) {
  for (const auto& [phases, mapped] : {std::pair{2, 0}, std::pair{4, 1}, std::pair{10, 4}}) {
    Given given;
    auto earlier = small_spec(1, 2);
    earlier.terminator = {"threshold", {{"value", 100}, {"phases", 1}}};
    const SweepId id = given.submit(earlier, "earlier");
    const auto grant = given.acquire(given.join(), "a");
    given.report(grant->lease, 0, Score::of(1));  // stopped after one of two phases
    SweepSpec spec = small_spec(4, phases);
    spec.search.warm_start = {id};
    const SweepId later = given.submit(spec, "later");
    EXPECT_EQ(given.sweep(later).history.outcome(0).phase, mapped) << phases;
  }
}

// 160 pruned trials counted with their first values as complete ones: ten trials that had learned
// from them were worse than ten without a history.
TEST(WarmStart, a_trial_that_ended_before_the_first_new_phase_teaches_nothing) {
  Given given;
  auto earlier = small_spec(3, 4);
  earlier.terminator = {"threshold", {{"value", 100}, {"phases", 1}}};
  const SweepId id = given.submit(earlier, "earlier");
  const WorkerId worker = given.join();
  given.report(given.acquire(worker, "a")->lease, 0, Score::of(1));  // stopped
  SweepSpec spec = small_spec(4, 1);
  spec.search.warm_start = {id};
  given.when(Submit{{"alone", spec, {}}});
  ASSERT_TRUE(given.error);
  EXPECT_NE(given.error->detail.find("ended before the first phase of this sweep"),
            std::string::npos)
      << given.error->detail;
  const auto complete = given.acquire(worker, "b");
  for (int phase = 0; phase < 4; ++phase) given.report(complete->lease, phase, Score::of(200));
  const SweepId later = given.submit(spec, "later");
  ASSERT_EQ(given.sweep(later).history.foreign(), 1U);
  EXPECT_EQ(given.sweep(later).history.outcome(0).grade, TrialOutcome::Grade::finished);
  // A sweep of an earlier hone replays as it was proposed.
  const Sweep& sweep = given.sweep(later);
  History before(sweep.spec.objective.goal, sweep.space.dimensions().size());
  warm_start(given.book, sweep.spec, 4, sweep.space, before);
  EXPECT_EQ(before.foreign(), 2U);
}

// Four complete runs whose early ranks are the reverse of those at the end.
SweepId reversed_sweep(Given& given) {
  const SweepId id = given.submit(small_spec(4, 10), "reversed");
  const WorkerId worker = given.join();
  for (int run = 0; run < 4; ++run) {
    const auto grant = given.acquire(worker, "r" + std::to_string(run));
    for (int phase = 0; phase < 10; ++phase)
      given.report(grant->lease, phase, Score::of(run * (phase < 4 ? -1.0 : 10.0)));
  }
  return id;
}

SweepSpec judged_after(SweepId earlier, const TerminatorSpec& rule) {
  SweepSpec spec = small_spec(4, 10);
  spec.search.warm_start = {earlier};
  spec.terminator = rule;
  return spec;
}

TEST(WarmStart, the_event_holds_what_earlier_sweeps_showed_about_early_ranks) {
  Given given;
  const SweepId earlier = reversed_sweep(given);
  const TerminatorSpec newest{"hone", {{"version", 5}}};
  const SweepId id = given.submit(judged_after(earlier, newest), "later");
  const auto& prior = given.sweep(id).rank_prior;
  ASSERT_TRUE(prior);
  EXPECT_EQ(prior->runs, 4);
  EXPECT_DOUBLE_EQ(prior->tenths.front().tau, -1);
  EXPECT_DOUBLE_EQ(prior->tenths.back().tau, 1);
}

TEST(WarmStart, only_a_rule_that_uses_early_ranks_gets_them) {
  Given given;
  const SweepId earlier = reversed_sweep(given);
  int number = 0;
  for (const TerminatorSpec& rule :
       {TerminatorSpec{"hone", {{"version", 3}}}, TerminatorSpec{"hone", {}},
        TerminatorSpec{"hone", {{"version", 5}, {"prior", 0}}}, TerminatorSpec{"asha", {}}}) {
    const SweepId id = given.submit(judged_after(earlier, rule), std::to_string(++number));
    EXPECT_FALSE(given.sweep(id).rank_prior) << rule.rule;
  }
}

TEST(WarmStart, what_early_ranks_showed_does_not_change_once_the_sweep_has_begun) {
  Given given;
  const SweepId earlier = given.submit(small_spec(2, 10), "earlier");
  const WorkerId worker = given.join();
  const std::vector leases{given.acquire(worker, "a")->lease, given.acquire(worker, "b")->lease};
  const TerminatorSpec newest{"hone", {{"version", 4}}};
  const SweepId id = given.submit(judged_after(earlier, newest), "later");
  for (int run = 0; run < 2; ++run)
    for (int phase = 0; phase < 10; ++phase)
      given.report(leases[static_cast<std::size_t>(run)], phase, Score::of(run));
  EXPECT_FALSE(given.sweep(id).rank_prior) << "no run was complete when it began";
  const SweepId next = given.submit(judged_after(earlier, newest), "next");
  EXPECT_TRUE(given.sweep(next).rank_prior) << "they are now";
}

TEST(WarmStart, keeps_the_order_of_several_earlier_sweeps) {
  Given given;
  const WorkerId worker = given.join();
  std::vector<SweepId> earlier;
  for (int i = 0; i < 2; ++i) {
    earlier.push_back(given.submit(small_spec(1, 1), "earlier-" + std::to_string(i)));
    const auto grant = given.acquire(worker, "a" + std::to_string(i));
    given.report(grant->lease, 0, Score::of(i));
  }
  SweepSpec spec = small_spec(4, 1);
  spec.search.warm_start = {earlier[1], earlier[0]};
  const History& history = given.sweep(given.submit(spec, "later")).history;
  ASSERT_EQ(history.foreign(), 2U);
  EXPECT_EQ(history.outcome(0).merit, 1);
  EXPECT_EQ(history.outcome(1).merit, 0);
}

TEST(WarmStart, leaves_out_trials_that_break_a_new_constraint) {
  Given given;
  const SweepId earlier = earlier_sweep(given);
  SweepSpec spec = warmed(earlier);
  spec.constraints = {"x < 2"};
  EXPECT_EQ(given.sweep(given.submit(spec, "loose")).history.foreign(), 2U);
  const auto x = [&](std::size_t trial) {
    const TrialId id = given.sweep(earlier).trials[trial];
    return std::get<double>(*find(find_trial(given.book, id)->params, "x"));
  };
  const double between = (x(0) + x(1)) / 2;
  spec.constraints = {"x < " + std::to_string(between)};
  EXPECT_EQ(given.sweep(given.submit(spec, "tight")).history.foreign(), 1U);
}

TEST(WarmStart, learns_from_failed_trials) {
  Given given;
  const SweepId id = given.submit(small_spec(1, 2), "earlier");
  const auto grant = given.acquire(given.join(), "a");
  given.when(End{grant->lease, {EndReason::exit_code, 1, "it broke", {}}});
  const History& history = given.sweep(given.submit(warmed(id), "later")).history;
  ASSERT_EQ(history.foreign(), 1U);
  EXPECT_EQ(history.outcome(0).grade, TrialOutcome::Grade::failed);
}

}  // namespace
}  // namespace hone
