// Forks that the rule `hone` starts.
#include "server/sweep/forks/rule_forks.hpp"

#include "server/sweep/submit/check.hpp"
#include "tests/unit/sweep/forks_given.hpp"

namespace hone {
namespace {

SweepSpec rule_spec(std::int64_t trials = 40, int phases = 10) {
  SweepSpec spec = forkable_spec(trials, phases);
  spec.search = {"hone", trials};
  spec.terminator = {"hone", {{"version", 4}, {"forks", 0.5}}};
  spec.checkpoints.keep = Keep::all;
  return spec;
}

std::vector<const Trial*> forks_of(const Forks& given) {
  std::vector<const Trial*> forks;
  for (const TrialId id : given.sweep(given.sweep_id).trials)
    if (const Trial* trial = find_trial(given.book, id); trial->origin) forks.push_back(trial);
  return forks;
}

TEST(RuleForks, a_sweep_of_the_rule_ends_with_its_trials_of_which_some_continue_others) {
  for (const int workers : {1, 2, 3}) {
    Forks given(rule_spec(), workers);
    train_to_the_end(given, workers);
    ASSERT_TRUE(given.over()) << workers;
    EXPECT_EQ(given.sweep(given.sweep_id).state, SweepState::completed);
    EXPECT_EQ(given.sweep(given.sweep_id).trials.size(), 40U) << "forks count as trials";
    const auto forks = forks_of(given);
    EXPECT_GT(forks.size(), 10U) << workers;
    EXPECT_LE(forks.size(), 20U) << workers;
    for (const Trial* fork : forks) {
      const Origin& origin = *fork->origin;
      const Trial& parent = *find_trial(given.book, origin.run.trial);
      EXPECT_EQ(*find(fork->params, "width"), *find(parent.params, "width"));
      EXPECT_NE(fork->params, parent.params);
      EXPECT_FALSE(origin.replaces);
      ASSERT_TRUE(origin.rank);
      EXPECT_LE(5 * origin.rank->place, origin.rank->rivals);
      // A phase that the parent inherited itself is continued from the run that trained it.
      EXPECT_TRUE(!parent.origin || origin.phase > parent.origin->phase);
    }
    EXPECT_TRUE(given.sweep(given.sweep_id).forks.empty());
  }
}

TEST(RuleForks, a_fork_trains_from_the_phase_after_the_checkpoint) {
  Forks given(rule_spec(), 1);
  while (true) {
    const LeaseGrant next = given.grant();
    const auto& origin = given.trial_of(next).origin;
    if (!origin) {
      for (int phase = next.next_phase; given.run(next.attempt.run).lease; ++phase)
        given.trained(next, phase, std::get<double>(*find(next.params, "x")));
      continue;
    }
    EXPECT_EQ(next.next_phase, origin->phase + 1);
    EXPECT_EQ(next.resume.value().id, origin->model);
    EXPECT_EQ(given.run(next.attempt.run).reports.size(),
              static_cast<std::size_t>(origin->phase) + 1);
    break;
  }
}

TEST(RuleForks, a_sweep_has_work_where_a_run_of_it_is_found_and_nowhere_else) {
  Forks given(rule_spec(), 2);
  int forks = 0, without = 0;
  train_to_the_end(given, 2, [&] {
    const Sweep& sweep = given.sweep(given.sweep_id);
    for (const WorkerId id : given.at) {
      const WorkerState& worker = given.book.workers.at(id);
      const Capacity capacity{free_room(worker), whole(worker)};
      const auto found = find_lease_candidate(given.book, sweep, id, capacity);
      EXPECT_EQ(has_lease_candidate(given.book, sweep, id, capacity), found.has_value());
      forks += found && found->resume && !find_trial(given.book, found->run.trial) ? 1 : 0;
      without += found ? 0 : 1;
    }
  });
  EXPECT_GT(forks, 0);
  EXPECT_GT(without, 0);
}

TEST(RuleForks, without_checkpoints_every_trial_starts_from_nothing) {
  Forks given(rule_spec(12), 1);
  for (int step = 0; step < 1000 && !given.over(); ++step) {
    const LeaseGrant next = given.grant();
    for (int phase = next.next_phase; given.run(next.attempt.run).lease; ++phase)
      given.trained(next, phase, 1.0 / (1 + step), false);
  }
  ASSERT_TRUE(given.over());
  EXPECT_TRUE(forks_of(given).empty());
}

std::string forks_refused_at(const SweepSpec& spec) {
  const Status fits = check_spec(spec);
  return fits ? "accepted" : fits.error().at;
}

TEST(RuleForks, refuses_sweeps_whose_runs_cannot_continue_each_other) {
  EXPECT_EQ(forks_refused_at(rule_spec()), "accepted");
  SweepSpec spec = rule_spec();
  spec.checkpoints.keep = Keep::best;
  EXPECT_EQ(forks_refused_at(spec), "/terminator/forks");
  spec = rule_spec();
  spec.trainer = CommandTrainer{{"train", "${x}"}};  // nothing may change
  EXPECT_EQ(forks_refused_at(spec), "/terminator/forks");
  spec = rule_spec();
  spec.seeds = 2;
  EXPECT_EQ(forks_refused_at(spec), "/terminator/forks");
  spec = rule_spec();
  spec.trainer = AskTrainer{};
  EXPECT_EQ(forks_refused_at(spec), "/terminator/forks");
  spec = rule_spec();
  spec.objective.reach = Reach{0.5};
  EXPECT_EQ(forks_refused_at(spec), "/terminator/forks");
  spec = rule_spec(100'000, 1000);  // 10^8 reports might be inherited
  EXPECT_EQ(forks_refused_at(spec), "/terminator/forks");
  spec.terminator.settings.back().second = 0;
  EXPECT_EQ(forks_refused_at(spec), "accepted");
}

}  // namespace
}  // namespace hone
