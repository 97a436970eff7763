// Runs that continue another run's checkpoint: a user's, and those of a population.
#include "server/sweep/forks/bandit_data.hpp"
#include "server/sweep/submit/check.hpp"
#include "tests/unit/sweep/forks_given.hpp"

namespace hone {
namespace {

SweepSpec population_spec(std::int64_t members, int phases = 4) {
  SweepSpec spec = forkable_spec(members, phases);
  spec.search = {"pbt", members, {{"resample", 0.0}}};
  spec.terminator = {"pbt", {}};
  return spec;
}

// A run of two reports, the second of which has just been recorded.
struct AfterTwoPhases : Forks {
  explicit AfterTwoPhases(const SweepSpec& spec = forkable_spec(3, 4)) : Forks(spec, 2) {
    first = grant();
    trained(first, 0, 1);
    trained(first, 1, 2);
  }
  LeaseGrant first;
};

TEST(Forks, a_fork_starts_from_the_checkpoint_with_the_reports_so_far_and_its_own_value) {
  AfterTwoPhases given;
  given.enqueue({given.first.attempt.run}, {{"x", 0.125}});
  ASSERT_FALSE(given.error) << given.error->detail;
  const LeaseGrant fork = given.grant(1);
  ASSERT_TRUE(fork.resume.has_value());
  EXPECT_EQ(fork.resume->phase, 1);
  EXPECT_EQ(fork.next_phase, 2);
  EXPECT_EQ(*find(fork.params, "x"), Value(0.125));
  EXPECT_EQ(*find(fork.params, "width"), *find(given.first.params, "width"));
  const auto& origin = given.trial_of(fork).origin;
  ASSERT_TRUE(origin.has_value());
  EXPECT_EQ(origin->run, given.first.attempt.run);
  EXPECT_EQ(origin->step, 20);
  EXPECT_EQ(given.run(fork.attempt.run).reports.size(), 2u);
  given.trained(fork, 2, 3);
  given.trained(fork, 3, 4);
  EXPECT_EQ(given.run(fork.attempt.run).state, RunState::completed);
}

TEST(Forks, an_earlier_phase_may_be_named) {
  AfterTwoPhases given;
  given.enqueue({given.first.attempt.run, 0}, {{"x", 0.5}});
  const LeaseGrant fork = given.grant(1);
  EXPECT_EQ(fork.resume->phase, 0);
  EXPECT_EQ(fork.next_phase, 1);
}

TEST(Forks, refuses_what_cannot_be_continued_and_says_where) {
  AfterTwoPhases given;
  const RunId run = given.first.attempt.run;
  const auto refused = [&](const ForkRequest& fork, const Params& params) {
    given.enqueue(fork, params);
    return given.error ? given.error->at : std::string("accepted");
  };
  EXPECT_EQ(refused({RunId{TrialId{99}, 0}}, {}), "/fork/run");
  EXPECT_EQ(refused({run, 2}, {}), "/fork/phase");  // not reported yet
  EXPECT_EQ(refused({run}, {{"width", std::int64_t{64}}}), "/params/width");
  EXPECT_EQ(refused({run}, {{"x", 7.0}}), "/params/x");
  given.trained(given.first, 2, 3, false);
  EXPECT_EQ(refused({run}, {}), "/fork/phase");  // no checkpoint
  given.trained(given.first, 3, 3);
  EXPECT_EQ(refused({run}, {}), "/fork/phase");     // the whole budget is used
  EXPECT_EQ(refused({run, 1}, {}), "/fork/phase");  // dropped by then
}

TEST(Forks, refuses_sweeps_of_several_seeds_and_of_other_runs) {
  SweepSpec seeds = forkable_spec(3, 4);
  seeds.seeds = 2;
  AfterTwoPhases given(seeds);
  given.enqueue({given.first.attempt.run}, {});
  ASSERT_TRUE(given.error.has_value());
  EXPECT_EQ(given.error->at, "/fork");

  AfterTwoPhases other;
  const SweepId second = other.submit(forkable_spec(3, 4), "submit-2");
  other.when(Enqueue{second, {"x", {}, std::nullopt, ForkRequest{other.first.attempt.run}}});
  ASSERT_TRUE(other.error.has_value());
  EXPECT_EQ(other.error->at, "/fork/run");
}

TEST(Forks, a_checkpoint_is_kept_until_the_fork_has_its_own) {
  AfterTwoPhases given;
  const RunId run = given.first.attempt.run;
  given.enqueue({run, 0}, {{"x", 0.5}});
  given.trained(given.first, 2, 9);
  given.trained(given.first, 3, 8);
  const ModelId start = given.book.models_by_content.begin()->second;
  EXPECT_TRUE(given.book.models.contains(start));  // enqueued
  const LeaseGrant fork = given.grant(1);
  ASSERT_EQ(fork.resume->id, start);
  EXPECT_TRUE(given.book.models.contains(start));
  given.trained(fork, 1, 1);
  EXPECT_FALSE(given.book.models.contains(start));
}

TEST(Forks, a_returned_fork_starts_from_there_again) {
  AfterTwoPhases given;
  given.enqueue({given.first.attempt.run}, {{"x", 0.5}});
  const LeaseGrant fork = given.grant(1);
  given.when(End{fork.lease, {EndReason::requeue_requested, 85, "", ""}});
  const LeaseGrant again = given.grant(1);
  EXPECT_EQ(again.attempt.run, fork.attempt.run);
  EXPECT_EQ(again.resume, fork.resume);
  EXPECT_EQ(again.next_phase, 2);
}

// x may change; `twice` follows from it, and `extra` exists where x is large.
SweepSpec following_spec(const std::vector<std::string>& may_change) {
  SweepSpec spec = forkable_spec(3, 4);
  spec.trainer = CommandTrainer{.argv = {"train", "${x}"}, .may_change = may_change};
  spec.parameters = {{"x", FloatDomain{0, 1, Scale::linear, {}}, ""},
                     {"twice", DerivedDomain{"2 * x"}, ""},
                     {"extra", FloatDomain{0, 1, Scale::linear, {}}, "x > 2"}};
  spec.parameters[0].domain = FloatDomain{0, 4, Scale::linear, {}};
  return spec;
}

TEST(Forks, refuses_a_change_of_another_parameter_that_follows_and_names_both) {
  const auto fork = [](const std::vector<std::string>& may_change, bool larger) {
    AfterTwoPhases given(following_spec(may_change));
    const bool large = std::get<double>(*find(given.first.params, "x")) > 2;
    given.enqueue({given.first.attempt.run}, {{"x", large == larger ? 3.25 : 0.25}});
    return given.error;
  };
  const auto derived = fork({"x", "extra"}, true);
  ASSERT_TRUE(derived.has_value());
  EXPECT_EQ(derived->at, "/params/x");
  EXPECT_TRUE(derived->detail.starts_with("'twice' may not change")) << derived->detail;
  EXPECT_TRUE(derived->detail.ends_with("follows from 'x'")) << derived->detail;
  const auto conditional = fork({"x", "twice"}, false);  // `extra` appears or vanishes
  ASSERT_TRUE(conditional.has_value());
  EXPECT_TRUE(conditional->detail.starts_with("'extra' may not change")) << conditional->detail;
  EXPECT_FALSE(fork({"x", "twice"}, true).has_value());  // it stays as it is
  EXPECT_FALSE(fork({"x", "twice", "extra"}, false).has_value());
}

TEST(Forks, a_fork_of_a_fork_lets_the_checkpoint_of_the_first_run_go) {
  AfterTwoPhases given;
  given.enqueue({given.first.attempt.run, 0}, {{"x", 0.5}});
  const LeaseGrant fork = given.grant(1);
  given.enqueue({fork.attempt.run, 0}, {{"x", 0.25}});
  ASSERT_FALSE(given.error) << given.error->detail;
  given.trained(given.first, 2, 9);
  given.trained(given.first, 3, 8);
  const LeaseGrant second = given.grant(0);
  const ModelId start = second.resume.value().id;
  ASSERT_EQ(fork.resume.value().id, start);
  given.trained(fork, 1, 1);
  EXPECT_TRUE(given.book.models.contains(start)) << "the second fork starts from it";
  given.trained(second, 1, 1);
  EXPECT_FALSE(given.book.models.contains(start));
}

// Four members report 1, 2, 3 and 4 at their first ready point.
struct Members : Forks {
  explicit Members(const SweepSpec& spec = population_spec(4)) : Forks(spec, 4) {
    for (int i = 0; i < 4; ++i) members.push_back(grant(i));
  }
  std::vector<LeaseGrant> members;
};

TEST(Pbt, the_poorest_is_replaced_by_a_fork_of_the_best_with_other_values) {
  Members given;
  for (const int i : {1, 2, 3}) given.trained(given.members[static_cast<std::size_t>(i)], 0, i);
  const Events events = given.trained(given.members[0], 0, 0);
  expect_kinds<RunStarted, ReportRecorded, VerdictGiven, TrialProposed, RunEnded>(events);
  const Verdict& verdict = *given.run(given.members[0].attempt.run).reports[0].verdict;
  EXPECT_EQ(verdict.reason, VerdictReason::replaced);
  const LeaseGrant fork = given.grant(0);
  const Origin& origin = *given.trial_of(fork).origin;
  EXPECT_EQ(origin.run, given.members[3].attempt.run);
  EXPECT_EQ(origin.replaces, given.members[0].attempt.run);
  EXPECT_EQ(*find(fork.params, "width"), *find(given.members[3].params, "width"));
  const double before = std::get<double>(*find(given.members[3].params, "x"));
  const double after = std::get<double>(*find(fork.params, "x"));
  EXPECT_TRUE(after == before * 0.8 || after == std::min(1.0, before * 1.2))
      << before << " " << after;
  EXPECT_EQ(fork.next_phase, 1);
}

TEST(Pbt, the_first_report_and_the_middle_ones_are_kept) {
  Members given;
  for (const int i : {0, 3, 2, 1}) {
    given.trained(given.members[static_cast<std::size_t>(i)], 0, i);
    const auto& run = given.run(given.members[static_cast<std::size_t>(i)].attempt.run);
    EXPECT_EQ(run.reports[0].verdict->reason, VerdictReason::good_enough) << i;
  }
}

TEST(Pbt, without_a_checkpoint_of_the_better_member_nothing_is_replaced) {
  Members given;
  for (const int i : {3, 2, 1})
    given.trained(given.members[static_cast<std::size_t>(i)], 0, i, false);
  given.trained(given.members[0], 0, 0);
  const Verdict& verdict = *given.run(given.members[0].attempt.run).reports[0].verdict;
  EXPECT_EQ(verdict.reason, VerdictReason::no_checkpoint);
  EXPECT_EQ(verdict.action, Action::go_on);
}

TEST(Pbt, after_stop_a_poor_member_that_trains_goes_on_to_its_end) {
  Members given;
  for (const int i : {1, 2, 3}) given.trained(given.members[static_cast<std::size_t>(i)], 0, i);
  given.when(Steer{given.sweep_id, {Verb::stop}});
  expect_kinds<RunStarted, ReportRecorded, VerdictGiven>(
      given.when(Report{given.members[0].lease, {0, 10, Score::of(0)}}));
  const RunId poor = given.members[0].attempt.run;
  EXPECT_EQ(given.run(poor).reports[0].verdict->reason, VerdictReason::finishes);
  for (const int phase : {1, 2, 3}) given.trained(given.members[0], phase, 0);
  EXPECT_EQ(given.run(poor).state, RunState::completed);
}

TEST(Pbt, a_diverged_member_is_replaced_too) {
  Members given;
  for (const int i : {1, 2, 3}) given.trained(given.members[static_cast<std::size_t>(i)], 0, i);
  given.when(Report{given.members[0].lease, {0, 10, Score::diverged()}});
  EXPECT_EQ(given.run(given.members[0].attempt.run).reason, EndReason::diverged);
  EXPECT_EQ(given.trial_of(given.grant(0)).origin->replaces, given.members[0].attempt.run);
}

TEST(Pbt, a_population_ends_with_as_many_complete_runs_as_members_for_any_number_of_workers) {
  for (const int workers : {1, 2, 3, 5}) {
    Forks given(population_spec(6, 5), workers);
    train_to_the_end(given, workers);
    ASSERT_TRUE(given.over()) << workers;
    EXPECT_EQ(given.sweep(given.sweep_id).state, SweepState::completed);
    int complete = 0, forks = 0;
    for (const TrialId id : given.sweep(given.sweep_id).trials) {
      const Trial& trial = *find_trial(given.book, id);
      complete += trial.runs[0].state == RunState::completed ? 1 : 0;
      forks += trial.origin ? 1 : 0;
    }
    EXPECT_EQ(complete, 6) << workers;
    EXPECT_GT(forks, 0) << workers;
    EXPECT_TRUE(given.sweep(given.sweep_id).forks.empty());
  }
}

// The reports of a fork that its own parameters caused, at best x = 0.5.
TEST(Pb2, forks_move_towards_the_largest_gains) {
  SweepSpec spec = population_spec(12, 8);
  spec.search = {"pb2", 12};
  Forks given(spec, 3);
  train_to_the_end(given, 3);
  ASSERT_TRUE(given.over());
  EXPECT_EQ(given.sweep(given.sweep_id).state, SweepState::completed);
  double first = 0, last = 0;
  int forks = 0;
  for (const TrialId id : given.sweep(given.sweep_id).trials) {
    const Trial& trial = *find_trial(given.book, id);
    const double x = std::get<double>(*find(trial.params, "x"));
    if (!trial.origin)
      first += x / 12;
    else
      last += x, ++forks;
  }
  ASSERT_GT(forks, 3);
  EXPECT_GT(last / forks, first + 0.1);  // a larger x gains more
}

TEST(Pbt, members_that_are_behind_train_first) {
  Forks given(population_spec(3, 4), 1);
  const LeaseGrant first = given.grant();
  given.trained(first, 0, 3);
  EXPECT_EQ(given.run(first.attempt.run).state, RunState::paused);
  const LeaseGrant second = given.grant();
  EXPECT_NE(second.attempt.run, first.attempt.run);
}

std::string refused_at(const SweepSpec& spec) {
  const Status fits = check_spec(spec);
  return fits ? "accepted" : fits.error().at;
}

TEST(Pbt, refuses_specs_that_no_population_can_train) {
  EXPECT_EQ(refused_at(population_spec(4)), "accepted");
  SweepSpec spec = population_spec(4);
  spec.terminator = {"none", {}};
  EXPECT_EQ(refused_at(spec), "/terminator/rule");
  spec = forkable_spec(4, 4);
  spec.terminator = {"pbt", {}};
  EXPECT_EQ(refused_at(spec), "/search/method");
  spec = population_spec(4);
  spec.trainer = CommandTrainer{{"train", "${x}"}};
  EXPECT_EQ(refused_at(spec), "/parameters");
  spec = population_spec(4, 1);
  EXPECT_EQ(refused_at(spec), "/search/ready");
  spec = population_spec(50, 1000);  // 50 x 1000 x 1000 reports might be inherited
  EXPECT_EQ(refused_at(spec), "/search/ready");
  spec.search.settings.push_back({"ready", std::int64_t{10}});
  EXPECT_EQ(refused_at(spec), "accepted");
  spec = population_spec(4);
  spec.seeds = 2;
  EXPECT_EQ(refused_at(spec), "/replicates");
  spec = population_spec(4);
  spec.search.perturb = {0.8, -1};
  EXPECT_EQ(refused_at(spec), "/search/perturb/1");
  spec = population_spec(4);
  spec.search.settings.push_back({"exploit", std::string("best")});
  EXPECT_EQ(refused_at(spec), "/search/exploit");
  spec = population_spec(4);
  spec.search.settings.push_back({"population", std::int64_t{5}});
  EXPECT_EQ(refused_at(spec), "/search/trials");
  spec = small_spec();
  spec.search.perturb = {0.8, 1.2};
  EXPECT_EQ(refused_at(spec), "/search/perturb");
}

TEST(Pb2, a_gain_is_that_since_the_ready_point_before_it) {
  Forks given(forkable_spec(1, 4));
  const LeaseGrant grant = given.grant();
  const std::vector<double> values{1, 2, 4};
  for (int phase = 0; phase < 3; ++phase)
    given.trained(grant, phase, values[static_cast<std::size_t>(phase)]);
  const Origin latest{.run = grant.attempt.run, .model = ModelId{3}, .phase = 2};
  const auto changes = bandit_data(given.book, given.sweep(given.sweep_id), latest, 1).changes;
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(changes[0].before, 1);
  EXPECT_EQ(changes[0].gain, 1);
  EXPECT_EQ(changes[1].before, 2);
  EXPECT_EQ(changes[1].gain, 2);
}

}  // namespace
}  // namespace hone
