// Single runs with noisy values rank by what a model expects of them, as the ledger records it.
#include <set>

#include "server/search/seeds/expected_merits.hpp"
#include "server/search/seeds/leaders.hpp"
#include "tests/unit/sweep/replicates_given.hpp"

namespace hone {
namespace {

// Pure noise: what x is does not matter.
double noise(std::int64_t trial, int, int phase) {
  return Rng(7, Purpose::simulation, static_cast<std::uint64_t>(100 * trial + phase)).normal();
}

SweepSpec single(std::int64_t trials) {
  SweepSpec spec = small_spec(trials, 2);
  spec.confirm = ConfirmSpec{2, 3};
  return spec;
}

std::vector<TrialsExpected> expected_of(const Given& given) {
  std::vector<TrialsExpected> found;
  for (const Event& event : given.ledger)
    if (const auto* e = std::get_if<TrialsExpected>(&event.body)) found.push_back(*e);
  return found;
}

TEST(TrialsExpected, order_a_noisy_sweep_and_choose_what_is_confirmed) {
  Play play(single(30), noise);
  play.run_to_end(play.id);
  const auto found = expected_of(play);
  ASSERT_FALSE(found.empty());
  const TrialsExpected& last = found.back();
  EXPECT_GT(last.noise, 0.3);
  const Sweep& sweep = play.sweep(play.id);
  auto leaders = find_leaders(sweep.history, 30);
  for (std::size_t i = 0; i < last.trials.size(); ++i)
    EXPECT_EQ(sweep.trials[leaders[i]], last.trials[i].trial) << i;
  ASSERT_EQ(sweep.confirmed_by.size(), 1U);
  const Sweep& confirmation = play.sweep(sweep.confirmed_by[0]);
  play.run_to_end(confirmation.id);
  leaders.resize(2);
  std::ranges::sort(leaders);
  ASSERT_EQ(confirmation.trials.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_EQ(find_trial(play.book, confirmation.trials[i])->params,
              find_trial(play.book, sweep.trials[leaders[i]])->params);
}

// The last estimate comes with the end; the one before it often has other leaders.
TEST(TrialsExpected, choose_what_is_confirmed_by_the_estimate_of_the_end) {
  int others = 0;
  for (const std::int64_t trials : {25, 27, 28, 29, 31, 33, 35}) {
    Play play(single(trials), noise);
    play.run_to_end(play.id);
    const auto found = expected_of(play);
    ASSERT_GE(found.size(), 2U);
    const auto leaders_of = [](const TrialsExpected& e) {
      std::set<TrialId> leaders;
      for (std::size_t i = 0; i < 2; ++i) leaders.insert(e.trials.at(i).trial);
      return leaders;
    };
    others += leaders_of(found.back()) == leaders_of(*(found.end() - 2)) ? 0 : 1;
    std::set<TrialId> confirmed;
    for (const Event& event : play.ledger)
      if (const auto* e = std::get_if<TrialEnqueued>(&event.body)) confirmed.insert(*e->from);
    EXPECT_EQ(confirmed, leaders_of(found.back())) << trials;
  }
  EXPECT_GT(others, 0) << "nothing was tested";
}

TEST(TrialsExpected, are_appended_after_all_reports_and_before_the_end) {
  Play play(single(30), noise);
  play.run_to_end(play.id);
  std::size_t end = 0, expected = 0, report = 0;
  for (std::size_t i = 0; i < play.ledger.size(); ++i) {
    const EventBody& body = play.ledger[i].body;
    if (const auto* e = std::get_if<SweepEnded>(&body); e != nullptr && e->sweep == play.id)
      end = i;
    if (end == 0 && std::holds_alternative<TrialsExpected>(body)) expected = i;
    if (end == 0 && std::holds_alternative<ReportRecorded>(body)) report = i;
  }
  EXPECT_LT(report, expected);
  EXPECT_LT(expected, end);
}

// The trials since the last estimate ranked behind all others for good.
TEST(TrialsExpected, are_appended_before_a_stop_ends_the_sweep) {
  Given given;
  const SweepId id = given.submit(single(60));
  const WorkerId worker = given.join("w");
  for (int i = 0; i < 23; ++i) {
    const auto grant = given.acquire(worker, "a" + std::to_string(i));
    ASSERT_TRUE(grant);
    for (int phase = 0; phase < 2; ++phase)
      given.report(grant->lease, phase, Score::of(noise(i, 0, phase)));
  }
  given.when(Steer{id, {Verb::stop}});
  const Sweep& sweep = given.sweep(id);
  ASSERT_TRUE(is_end(sweep.state));
  for (std::size_t trial = 0; trial < 23; ++trial)
    EXPECT_TRUE(sweep.history.expected(trial)) << trial;
  ASSERT_EQ(sweep.confirmed_by.size(), 1U);
}

// A replay estimates again what the rules of the sweep estimated.
TEST(TrialsExpected, of_sweeps_of_earlier_rules_take_the_earlier_effort) {
  for (const int rules : {6, 7}) {
    Play play(single(40), noise);
    play.book.sweeps.at(play.id).rules = rules;
    play.run_to_end(play.id);
    const Sweep& sweep = play.sweep(play.id);
    const auto merit = [&](const EstimateEffort& effort) {
      return expected_merits(sweep.space, sweep.history, effort).trials.front().merit;
    };
    ASSERT_NE(merit(earlier_estimate_effort), merit(estimate_effort));
    EXPECT_EQ(expected_of(play).back().trials.front().value,
              merit(rules == 6 ? earlier_estimate_effort : estimate_effort));
  }
}

TEST(TrialsExpected, are_none_of_few_trials) {
  Play few(single(7), noise);
  few.run_to_end(few.id);
  EXPECT_TRUE(expected_of(few).empty());
}

TEST(TrialsExpected, are_none_of_several_seeds_and_of_sweeps_of_earlier_rules) {
  Play seeds(replicated("none", 2, 0, 20), noise);
  seeds.run_to_end(seeds.id);
  EXPECT_TRUE(expected_of(seeds).empty());
  Play earlier(single(30), noise);
  earlier.book.sweeps.at(earlier.id).rules = 5;
  earlier.run_to_end(earlier.id);
  EXPECT_TRUE(expected_of(earlier).empty());
}

}  // namespace
}  // namespace hone
