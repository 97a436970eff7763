// Programs without checkpoints are not paused; the winner of a sweep trains to its end; a hopeless
// sweep ends as failed.
#include <cmath>

#include "server/search/seeds/leaders.hpp"
#include "server/sweep/state/rules.hpp"
#include "server/sweep/verdict/finish.hpp"
#include "tests/unit/sweep/replicates_given.hpp"

namespace hone {
namespace {

class Trained : public Given {
 public:
  explicit Trained(const SweepSpec& spec) : id(submit(spec)), worker(join()) {}

  std::optional<LeaseGrant> next() { return acquire(worker, "a" + std::to_string(++asked_)); }
  // A report of a program that has never saved a checkpoint.
  Verdict report_bare(LeaseId lease, int phase, double value) {
    const Command command =
        Report{lease, {phase, 10 * (phase + 1), Score::of(value), {}, {}, false}};
    when(command);
    EXPECT_FALSE(error) << error->detail;
    return std::get<ReportReply>(answer(book, command)).verdict;
  }
  void save(LeaseId lease, int phase) {
    when(SaveModel{lease, {std::string(64, 'a'), 10, 10 * (phase + 1), phase}});
    EXPECT_FALSE(error);
  }
  Events fail(LeaseId lease, const std::string& log, Failure failure = Failure::user_error) {
    return when(End{lease, {EndReason::exit_code, 1, "exited with status 1", log, failure}});
  }
  // Fails the next `count` trials; the log of each ends with `why`.
  Events fail_trials(int count, const std::string& why) {
    Events last;
    for (int i = 0; i < count; ++i) {
      const auto grant = next();
      if (!grant) break;
      last = fail(grant->lease, "Traceback:\n" + why + "\n");
    }
    return last;
  }
  [[nodiscard]] SweepState state() const { return sweep(id).state; }

  SweepId id;
  WorkerId worker;

 private:
  int asked_ = 0;
};

SweepSpec spec_of(const std::string& rule, std::int64_t trials, int phases) {
  auto spec = small_spec(trials, phases);
  spec.terminator = {rule, {}};
  return spec;
}

const SweepEnded* end_of(const Events& events) {
  for (const EventBody& event : events)
    if (const auto* ended = std::get_if<SweepEnded>(&event)) return ended;
  return nullptr;
}

// Trains every run to its verdict; a run is worth its number modulo 7. Returns the phases trained.
int train_all(Trained& given, bool saves) {
  int phases = 0;
  while (const auto grant = given.next()) {
    for (int phase = grant->resume ? grant->next_phase : 0;; ++phase) {
      ++phases;
      if (phase < grant->next_phase) continue;  // reported by an earlier attempt
      if (saves) given.save(grant->lease, phase);
      const double value = static_cast<double>(grant->attempt.run.trial.value % 7) + phase * 0.01;
      const Verdict verdict = saves ? given.report(grant->lease, phase, Score::of(value))
                                    : given.report_bare(grant->lease, phase, value);
      if (verdict.action != Action::go_on) break;
    }
  }
  return phases;
}

int reports_of(const Sweep& sweep) {
  int reports = 0;
  for (int phase = 0; phase < sweep.spec.budget.phases; ++phase)
    reports += static_cast<int>(sweep.history.reports(phase));
  return reports;
}

TEST(NoCheckpoint, a_run_is_never_paused_under_any_rule) {
  for (const char* rule : {"hone", "asha", "sha", "hyperband"})
    for (const int seeds : {1, 3}) {
      auto spec = spec_of(rule, 20, 9);
      spec.seeds = seeds;
      Trained given(spec);
      const int trained = train_all(given, false);
      const Sweep& sweep = given.sweep(given.id);
      EXPECT_EQ(trained, reports_of(sweep)) << rule << " of " << seeds;
      EXPECT_TRUE(is_end(sweep.state)) << rule;
      EXPECT_LT(trained, 20 * seeds * 9) << rule << " stops none of " << seeds;
      for (const RunId id : sweep.runs) EXPECT_EQ(given.run(id).attempts, 1) << rule;
    }
}

TEST(NoCheckpoint, is_known_from_any_earlier_attempt_of_the_run) {
  Trained given(spec_of("asha", 9, 9));
  const auto first = given.next();
  given.save(first->lease, 0);
  // The worker was restarted and knows of no checkpoint; the ledger does.
  const Verdict verdict = given.report_bare(first->lease, 0, 1);
  EXPECT_EQ(verdict.action, Action::pause);
}

TEST(NoCheckpoint, verdicts_can_be_recomputed_from_their_inputs) {
  Trained given(spec_of("hone", 12, 6));
  train_all(given, false);
  const Sweep& sweep = given.sweep(given.id);
  int stops = 0;
  for (const RunId id : sweep.runs)
    for (const RecordedReport& report : given.run(id).reports) {
      if (report.verdict->reason == VerdictReason::last_phase) continue;
      EXPECT_EQ(report.verdict->inputs.back().name, "no_checkpoint");
      EXPECT_EQ(sweep.unpausing->recompute(report.verdict->inputs), report.verdict->action);
      stops += report.verdict->action == Action::stop ? 1 : 0;
    }
  EXPECT_GT(stops, 0);
}

TEST(Winner, of_a_small_sweep_trains_to_its_end) {
  Trained given(spec_of("hone", 6, 8));
  train_all(given, true);
  const Sweep& sweep = given.sweep(given.id);
  EXPECT_EQ(sweep.state, SweepState::completed);
  const Trial& winner = *find_trial(given.book, sweep.trials[5]);  // worth 6, the most
  for (const auto& one : winner.runs) EXPECT_EQ(one.state, RunState::completed);
}

// Trains a run that saves checkpoints to its verdict; the value of phase p is `merit` + p.
void train(Trained& given, const LeaseGrant& grant, double merit) {
  for (int phase = grant.next_phase;; ++phase) {
    given.save(grant.lease, phase);
    if (given.report(grant.lease, phase, Score::of(merit + phase)).action != Action::go_on) return;
  }
}

// The second trial of hyperband is alone in its bracket: it pauses after three phases, and no rank
// promotes it. It was closed as soon as the third one began, and the sweep had no complete run.
TEST(Winner, is_not_closed_while_a_run_trains_that_then_fails) {
  for (const int rules : {4, rules_now}) {
    Trained given(spec_of("hyperband", 3, 9));
    given.book.sweeps.at(given.id).rules = rules;
    given.fail(given.next()->lease, "error");
    train(given, *given.next(), 0.2);
    given.fail(given.next()->lease, "error");
    const auto last = given.next();
    EXPECT_EQ(last.has_value(), rules == rules_now);
    if (last) train(given, *last, 0.2);
    const Sweep& sweep = given.sweep(given.id);
    EXPECT_EQ(sweep.state, SweepState::completed) << rules;
    EXPECT_EQ(std::ranges::any_of(sweep.history.runs(), &RunRecord::completed), rules == rules_now);
  }
}

// A seed of the winner once trained on while the others were ended, and was stopped with them.
TEST(Winner, of_several_seeds_trains_to_its_end_with_all_of_them) {
  for (const char* rule : {"hone", "asha", "sha", "hyperband"})
    for (const int seeds : {2, 3}) {
      auto spec = spec_of(rule, 6, 8);
      spec.seeds = seeds;
      Trained given(spec);
      train_all(given, true);
      const Sweep& sweep = given.sweep(given.id);
      EXPECT_EQ(sweep.state, SweepState::completed) << rule;
      const Trial& winner = *find_trial(given.book, sweep.trials[5]);  // worth 6, the most
      for (const auto& one : winner.runs)
        EXPECT_EQ(one.state, RunState::completed) << rule << " of " << seeds;
      EXPECT_LT(reports_of(sweep), 6 * seeds * 8) << rule << " stops none of " << seeds;
      EXPECT_EQ(run_to_finish(sweep, sweep.history), std::nullopt);
    }
}

TEST(Winner, of_several_seeds_is_not_trained_on_in_a_sweep_of_earlier_rules) {
  auto spec = spec_of("hone", 6, 8);
  spec.seeds = 3;
  Trained given(spec);
  given.book.sweeps.at(given.id).rules = 1;
  train_all(given, true);
  EXPECT_EQ(given.state(), SweepState::completed);
  for (const RunId id : given.sweep(given.id).runs)
    EXPECT_NE(given.run(id).state, RunState::completed);
}

// Noisy curves: the leader changes while it trains on. No run is awaited that never comes, and the
// winner of the leaderboard is complete in the end.
TEST(Winner, of_noisy_sweeps_is_complete) {
  for (const char* rule : {"hone", "asha", "sha", "hyperband"})
    for (int number = 0; number < 60; ++number) {
      SweepSpec spec = replicated(rule, 1 + number % 4, number % 3 == 0 ? 5 : 0, 3 + number % 7);
      spec.budget.phases = 2 + number % 9;
      spec.replicates.race = number % 3 == 0;
      const auto value = [&](std::int64_t trial, int replicate, int phase) {
        return jumpy(trial + 100 * number, replicate, phase) - 100 * number;
      };
      Play play(spec, value);
      play.run_to_end(play.id);
      const Sweep& sweep = play.sweep(play.id);
      const auto leaders = find_leaders(sweep.history, 1);
      ASSERT_FALSE(leaders.empty());
      for (const auto& one : find_trial(play.book, sweep.trials[leaders[0]])->runs)
        EXPECT_EQ(one.state, RunState::completed) << rule << " sweep " << number;
    }
}

TEST(Winner, that_is_alone_is_not_paused_on_its_way_to_the_end) {
  Trained given(spec_of("hone", 2, 8));
  train_all(given, true);
  const Sweep& sweep = given.sweep(given.id);
  int most = 0;
  for (const RunId id : sweep.runs) most = std::max(most, given.run(id).attempts);
  EXPECT_LE(most, 3);
  EXPECT_EQ(given.run(sweep.runs[1]).state, RunState::completed);
}

TEST(Winner, of_a_sweep_of_earlier_rules_is_not_trained_on) {
  Trained given(spec_of("hone", 6, 8));
  given.book.sweeps.at(given.id).rules = 0;
  train_all(given, true);
  for (const RunId id : given.sweep(given.id).runs)
    EXPECT_NE(given.run(id).state, RunState::completed);
}

TEST(Hopeless, sweep_ends_when_its_first_trials_fail_in_the_same_way) {
  Trained given(spec_of("hone", 30, 4));
  const Events last = given.fail_trials(5, "ModuleNotFoundError: No module named 'gym'");
  const SweepEnded* end = end_of(last);
  ASSERT_NE(end, nullptr);
  EXPECT_EQ(end->state, SweepState::failed);
  EXPECT_EQ(end->reason, EndReason::failure_limit);
  EXPECT_EQ(end->detail, "5 runs failed: ModuleNotFoundError: No module named 'gym'");
  EXPECT_FALSE(given.next());
}

TEST(Hopeless, sweep_names_the_most_frequent_error) {
  auto spec = spec_of("none", 30, 4);
  spec.limits.max_failed = 2;
  Trained given(spec);
  given.fail_trials(1, "OSError: disk");
  EXPECT_EQ(end_of(given.fail_trials(1, "KeyError: 'lr'")), nullptr);
  const Events last = given.fail_trials(1, "KeyError: 'lr'");
  ASSERT_NE(end_of(last), nullptr);
  EXPECT_EQ(end_of(last)->detail, "3 runs failed, 2 with: KeyError: 'lr'");
}

TEST(Hopeless, max_failed_may_be_a_share_of_the_runs) {
  auto spec = spec_of("none", 10, 4);
  spec.seeds = 2;
  spec.limits.max_failed = 0.1;  // of 20 runs
  Trained given(spec);
  EXPECT_EQ(end_of(given.fail_trials(2, "error")), nullptr);
  EXPECT_NE(end_of(given.fail_trials(1, "error")), nullptr);
}

TEST(Hopeless, sweep_cancels_the_runs_that_still_train) {
  auto spec = spec_of("none", 10, 4);
  spec.limits.max_failed = 0;
  Trained given(spec);
  const auto training = given.next();
  EXPECT_EQ(end_of(given.fail_trials(1, "error")), nullptr);
  EXPECT_EQ(given.state(), SweepState::stopping);
  const Events last = given.fail(training->lease, "terminated");
  ASSERT_NE(end_of(last), nullptr);
  EXPECT_EQ(end_of(last)->state, SweepState::failed);
  EXPECT_EQ(end_of(last)->detail, "1 run failed: error");
  EXPECT_EQ(given.run(training->attempt.run).state, RunState::canceled);
}

TEST(Hopeless, is_no_sweep_in_which_other_runs_succeed_or_fail_differently) {
  Trained given(spec_of("none", 40, 1));
  given.fail_trials(4, "error");
  given.report(given.next()->lease, 0, Score::of(1));
  EXPECT_EQ(end_of(given.fail_trials(19, "error")), nullptr);
  EXPECT_NE(end_of(given.fail_trials(1, "error")), nullptr);  // 20 in a row

  Trained mixed(spec_of("none", 40, 1));
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(end_of(mixed.fail(mixed.next()->lease, "error",
                                i % 2 == 0 ? Failure::user_error : Failure::infeasible)),
              nullptr);
}

TEST(Hopeless, is_no_sweep_while_a_run_trains_beyond_those_that_failed) {
  Trained given(spec_of("none", 40, 4));
  const auto healthy = given.next();
  given.report(healthy->lease, 0, Score::of(1));
  EXPECT_EQ(end_of(given.fail_trials(8, "error")), nullptr);
  EXPECT_EQ(given.state(), SweepState::running);
}

TEST(Hopeless, sweep_can_be_continued_and_counts_its_failures_again) {
  Trained given(spec_of("none", 30, 1));
  given.fail_trials(5, "error");
  ASSERT_EQ(given.state(), SweepState::failed);
  given.when(Edit{given.id, {"e", 30, std::nullopt, {}}});
  ASSERT_FALSE(given.error) << given.error->detail;
  EXPECT_EQ(given.state(), SweepState::running);
  EXPECT_EQ(end_of(given.fail_trials(4, "error")), nullptr);
}

}  // namespace
}  // namespace hone
