// What every terminator promises, whatever its row. A new row runs by itself.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "base/rng.hpp"
#include "tests/unit/search/play.hpp"

namespace hone {

void PrintTo(const TerminatorRow& row, std::ostream* out) { *out << row.rule; }

namespace {

const SweepShape plan{40, 1, 10};

// Rules that use only the order of the values in a phase.
bool ranks(std::string_view rule) {
  for (const std::string_view one : {"none", "hypertrick", "asha", "asha_stopping", "sha",
                                     "hyperband", "percentile", "pbt", "dehb"})
    if (rule == one) return true;
  return false;
}

// Noisy curves of different slopes, some of which diverge, with many ties when `levels` is small.
Play::Metric curves(std::uint64_t seed, double levels = 1e6, double diverged = 0) {
  return [=](std::size_t run, int phase) {
    Rng slope(seed, Purpose::simulation, run);
    Rng noise(seed, Purpose::simulation, 1000 + run * 100 + static_cast<std::size_t>(phase));
    if (noise.uniform() < diverged) return Score::diverged();
    const double value = slope.uniform() * (phase + 1) + 0.3 * noise.normal();
    return Score::of(std::round(value * levels) / levels);
  };
}

// How long phases take: differs by run and phase.
Play::Took uneven(std::uint64_t seed) {
  return [=](std::size_t run, int phase) {
    Rng rng(seed, Purpose::rule, run * 100 + static_cast<std::size_t>(phase));
    return 0.2 + rng.uniform();
  };
}

class TerminatorContract : public testing::TestWithParam<TerminatorRow> {
 protected:
  std::unique_ptr<Terminator> rule_ =
      std::move(GetParam().make(spec_of(GetParam().rule), plan)).value();
};

TEST_P(TerminatorContract, is_recomputed_from_its_inputs_alone_and_explains_itself) {
  for (const Goal goal : {Goal::maximize, Goal::minimize}) {
    History history(goal, 0);
    Rng rng(1, Purpose::simulation, 0);
    for (int run = 0; run < plan.runs(); ++run) {
      const std::size_t index = history.add_run(history.add_trial({}));
      for (int phase = 0; phase < plan.phases - 1; ++phase) {
        const Score score = Score::of(rng.normal());
        const Verdict verdict = rule_->judge(history, index, phase, score);
        EXPECT_EQ(rule_->judge(history, index, phase, score), verdict);  // stateless
        EXPECT_EQ(rule_->recompute(verdict.inputs), verdict.action);
        EXPECT_FALSE(rule_->explain(verdict).empty());
        for (const VerdictInput& input : verdict.inputs) EXPECT_TRUE(std::isfinite(input.value));
        const bool diverges = run % 7 == 3 && phase == run % 5;
        history.add_report(index, phase, diverges ? Score::diverged() : score);
        if (diverges) break;
      }
    }
  }
}

// An imported document may lack inputs of a verdict: its explanation ended the server.
TEST_P(TerminatorContract, a_verdict_without_one_of_its_inputs_ended_the_server) {
  History history(Goal::maximize, 0);
  Rng rng(2, Purpose::simulation, 0);
  const auto expect_answers = [&](const Verdict& verdict) {
    EXPECT_FALSE(rule_->explain(verdict).empty());
    static_cast<void>(rule_->recompute(verdict.inputs));
  };
  for (int run = 0; run < plan.runs(); ++run) {
    const std::size_t index = history.add_run(history.add_trial({}));
    for (int phase = 0; phase < plan.phases - 1; ++phase) {
      const Score score = Score::of(rng.normal());
      const Verdict verdict = rule_->judge(history, index, phase, score);
      for (std::size_t i = 0; i < verdict.inputs.size(); ++i) {
        Verdict lacks = verdict;
        lacks.inputs.erase(lacks.inputs.begin() + static_cast<std::ptrdiff_t>(i));
        expect_answers(lacks);
        lacks.inputs = {{verdict.inputs[i].name, -1e300}};
        expect_answers(lacks);
      }
      for (const Action action : {Action::go_on, Action::pause, Action::stop})
        expect_answers({action, verdict.reason, {}});
      history.add_report(index, phase, score);
    }
  }
}

TEST_P(TerminatorContract, never_stops_the_first_report_of_a_phase) {
  if (GetParam().rule == "threshold") GTEST_SKIP() << "it asks for a value, not for a rank";
  History history(Goal::maximize, 0);
  const std::size_t index = history.add_run(history.add_trial({}));
  EXPECT_NE(rule_->judge(history, index, 0, Score::of(-1e9)).action, Action::stop);
}

TEST_P(TerminatorContract, expects_no_more_phases_than_there_are) {
  for (int phases = 1; phases <= 30; ++phases) {
    auto spec = spec_of(GetParam().rule);
    if (spec.rule == "threshold") spec.settings[1].second = 1;
    const auto rule = std::move(GetParam().make(spec, {7, 2, phases})).value();
    EXPECT_GE(rule->expected_phases(), 1) << phases;
    EXPECT_LE(rule->expected_phases(), phases * (1 + 1e-9)) << phases;
  }
}

TEST_P(TerminatorContract, refuses_a_setting_it_does_not_have) {
  auto spec = spec_of(GetParam().rule);
  spec.settings.emplace_back("no_such_setting", 1);
  const auto made = GetParam().make(spec, plan);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().at, "/terminator/no_such_setting");
}

TEST_P(TerminatorContract, refuses_each_senseless_setting_where_it_stands) {
  for (const char* name : {"eta", "first_rung", "bracket", "grace", "min_runs", "min_reports",
                           "evict", "min_delta", "phases", "eviction_rate"}) {
    auto spec = spec_of(GetParam().rule);
    std::erase_if(spec.settings, [&](const auto& one) { return one.first == name; });
    spec.settings.emplace_back(name, -1.5);
    const auto made = GetParam().make(spec, plan);
    ASSERT_FALSE(made.ok()) << name;
    EXPECT_EQ(made.error().at, std::string("/terminator/") + name);
  }
}

// The same reports, told by a server that heard of them in another order.
History retold(const History& told, Rng& rng) {
  History history(told.goal(), 0);
  std::vector<std::size_t> left;  // each run once for every report
  for (std::size_t trial = 0; trial < told.trials().size(); ++trial) history.add_trial({});
  for (const RunRecord& run : told.runs()) history.add_run(run.trial);
  for (std::size_t run = 0; run < told.runs().size(); ++run)
    left.insert(left.end(), told.runs()[run].merits.size(), run);
  for (std::size_t i = left.size(); i > 1; --i) std::swap(left[i - 1], left[rng.below(i)]);
  for (const std::size_t run : left) {
    const int phase = static_cast<int>(history.runs()[run].merits.size());
    const double merit = told.runs()[run].merits[static_cast<std::size_t>(phase)];
    history.add_report(run, phase, Score::of(merit));
  }
  for (std::size_t run = 0; run < told.runs().size(); ++run) {
    const RunRecord& record = told.runs()[run];
    if (record.state == RunRecord::State::ended)
      history.end_run(run, record.completed, record.counts);
    else
      history.set_state(run, record.state);
  }
  return history;
}

TEST_P(TerminatorContract, earlier_reports_of_others_count_as_a_set_whatever_their_order) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Rng rng(seed, Purpose::simulation, 7);
    Play play(*rule_, plan, 5, curves(seed, seed % 2 == 0 ? 2 : 1e6, 0.02));
    play.took = uneven(seed);
    play.on_verdict = [&](std::size_t run, int phase, Score score, const Verdict& verdict) {
      const History other = retold(play.history(), rng);
      EXPECT_EQ(rule_->judge(other, run, phase, score), verdict);
    };
    play.on_step = [&] {
      const History other = retold(play.history(), rng);
      const NextAction move = rule_->next(play.history(), play.proposals_left());
      const NextAction again = rule_->next(other, play.proposals_left());
      EXPECT_EQ(again.kind, move.kind);
      EXPECT_EQ(again.index, move.index);
      for (std::size_t run = 0; run < other.runs().size(); ++run) {
        if (other.runs()[run].state != RunRecord::State::paused) continue;
        EXPECT_EQ(rule_->promotable(other, run), rule_->promotable(play.history(), run));
      }
    };
    play.run();
  }
}

TEST_P(TerminatorContract, decides_the_same_under_a_monotone_transform_if_it_ranks) {
  if (!ranks(GetParam().rule)) GTEST_SKIP() << "it uses values";
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    std::vector<Action> actions[2];
    for (const int warped : {0, 1}) {
      const auto metric = curves(seed, 4);
      Play play(*rule_, plan, 5, [&](std::size_t run, int phase) {
        const double value = metric(run, phase).value();
        return Score::of(warped == 1 ? std::exp(value) - 7 : value);
      });
      play.took = uneven(seed);
      play.on_verdict = [&](auto, auto, auto, const Verdict& verdict) {
        actions[warped].push_back(verdict.action);
      };
      play.run();
    }
    EXPECT_EQ(actions[0], actions[1]);
  }
}

// With one worker or many, one seed or several, whatever diverges: all trials are started, no
// worker waits while there is work, and a rule never asks again for what it gave up.
TEST_P(TerminatorContract, never_lets_everything_wait) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Rng rng(seed, Purpose::simulation, 3);
    SweepShape any{static_cast<std::int64_t>(1 + rng.below(40)), static_cast<int>(1 + rng.below(3)),
                   static_cast<int>(1 + rng.below(12))};
    auto spec = spec_of(GetParam().rule);
    if (spec.rule == "threshold") spec.settings[1].second = 1;
    const auto rule = std::move(GetParam().make(spec, any)).value();
    Play play(*rule, any, static_cast<int>(1 + rng.below(9)), curves(seed, 3, 0.05));
    play.took = uneven(seed);
    play.closes = seed % 2 == 0;
    std::set<std::size_t> given_up;
    play.on_promotion = [&](std::size_t run) { EXPECT_FALSE(given_up.contains(run)) << seed; };
    play.on_step = [&] {
      for (std::size_t run = 0; run < play.history().runs().size(); ++run)
        if (play.history().runs()[run].state == RunRecord::State::paused &&
            !rule->promotable(play.history(), run))
          given_up.insert(run);
    };
    play.run();
    EXPECT_NE(rule->next(play.history(), false).kind, NextAction::Kind::promote) << seed;
    EXPECT_TRUE(rule->incumbent(play.history()).has_value() || play.history().reports(0) == 0 ||
                std::isinf(play.history().merits(0).back()))
        << seed;
  }
}

TEST_P(TerminatorContract, closing_what_it_gave_up_changes_no_later_decision) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    std::vector<std::size_t> trained[2];
    for (const int closes : {0, 1}) {
      Play play(*rule_, plan, 4, curves(seed, 2));
      play.took = uneven(seed);
      play.closes = closes == 1;
      play.run();
      for (const RunRecord& run : play.history().runs())
        trained[closes].push_back(run.merits.size());
    }
    EXPECT_EQ(trained[0], trained[1]) << seed;
  }
}

// The version of the rule hone that new sweeps get: a row without settings is version 1.
Result<std::unique_ptr<Terminator>> newest_hone(const TerminatorSpec& spec,
                                                const SweepShape& shape) {
  TerminatorSpec newest = spec;
  newest.settings.emplace_back("version", 5);
  return terminator_table().front().make(newest, shape);
}
INSTANTIATE_TEST_SUITE_P(NewestHone, TerminatorContract,
                         testing::Values(TerminatorRow{.rule = "hone",
                                                       .summary = "the newest version",
                                                       .make = newest_hone}));

INSTANTIATE_TEST_SUITE_P(Rows, TerminatorContract,
                         testing::ValuesIn(terminator_table().begin(), terminator_table().end()),
                         [](const auto& row) { return std::string(row.param.rule); });

}  // namespace
}  // namespace hone
