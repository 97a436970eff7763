// The method dehb and its rule against a second implementation of the paper's bookkeeping: which
// trial is evaluated how long, in which order, and of which parents a proposal is made.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "server/search/samplers/dehb/plan.hpp"
#include "server/search/terminators/terminator.hpp"
#include "tests/unit/search/play.hpp"
#include "tests/unit/search/sampler_given.hpp"

namespace hone {
namespace {

constexpr int phases = 9;
constexpr double factor = 0.5;

std::unique_ptr<Sampler> dehb(const SearchSpace& space, std::int64_t trials) {
  SearchSpec search;
  search.method = "dehb";
  search.trials = trials;
  return std::move(make_sampler(search, space)).value();
}

// Early values mislead a little, so that the levels order the trials in different ways.
double loss(std::span<const double> x, int trained) {
  const double shift = 0.3 / trained;
  return std::pow(x[0] - 0.3 - shift, 2) + std::pow(x[1] - 0.7, 2);
}

struct Evaluation {
  std::size_t trial = 0;
  int phases = 0;
  friend bool operator==(const Evaluation&, const Evaluation&) = default;
};

void PrintTo(const Evaluation& one, std::ostream* out) {
  *out << "trial " << one.trial << " for " << one.phases;
}

// One worker trains a sweep by the method and its rule.
struct Sweep {
  explicit Sweep(std::int64_t trials)
      : sampler(dehb(space, trials)), rule(made(spec_of("dehb"), {trials, 1, phases})) {
    for (;;) {
      const bool left = std::ssize(history.trials()) < trials;
      const NextAction move = rule->next(history, left);
      if (move.kind == NextAction::Kind::promote)
        train(move.index);
      else if (left)
        train(propose());
      else
        break;
    }
  }

  std::size_t propose() {
    const auto number = static_cast<std::int64_t>(history.trials().size());
    const Point point = sampler->propose(space, history, {5, number, phases}).value();
    return history.add_run(history.add_trial(point));
  }

  void train(std::size_t run) {
    history.set_state(run, RunRecord::State::active);
    const std::size_t trial = history.runs()[run].trial;
    for (int phase = static_cast<int>(history.runs()[run].merits.size());; ++phase) {
      const Score score = Score::of(loss(history.point(trial), phase + 1));
      const bool last = phase + 1 == phases;
      const Verdict verdict = last ? Verdict{} : rule->judge(history, run, phase, score);
      history.add_report(run, phase, score);
      if (!last && verdict.action == Action::go_on) continue;
      evaluations.push_back({trial, phase + 1});
      if (last)
        history.end_run(run, true, true);
      else
        history.set_state(run, RunRecord::State::paused);
      return;
    }
  }

  SearchSpace space = cube(2);
  History history{Goal::minimize, 2};
  std::unique_ptr<Sampler> sampler;
  std::unique_ptr<Terminator> rule;
  std::vector<Evaluation> evaluations;
};

// The paper's loop, written for brackets one after the other.
class Reference {
 public:
  struct Member {
    std::size_t trial = 0;
    double loss = 0;
  };
  using Members = std::vector<Member>;

  Reference(const History& history, std::size_t trials) : history_(history), trials_(trials) {}

  void run() {
    const std::vector<std::vector<int>> brackets{{9, 3, 1}, {3, 1}, {3}};
    for (bool first = true; next_ < trials_; first = false)
      for (std::size_t bracket = 0; bracket < brackets.size(); ++bracket)
        for (std::size_t rung = 0; rung < brackets[bracket].size(); ++rung)
          train_rung(bracket, rung, brackets[bracket][rung], first);
  }

  std::vector<Evaluation> evaluations;
  int checked = 0;  // offspring whose parents were complete

 private:
  void train_rung(std::size_t bracket, std::size_t rung, int count, bool first) {
    const std::size_t level = bracket + rung, below = rung == 0 ? level : level - 1;
    if (first && rung > 0) {
      Members best = sorted(below);
      std::erase_if(best, [&](const Member& one) { return has(level, one.trial); });
      for (int i = 0; i < count; ++i) evaluate(best.at(static_cast<std::size_t>(i)).trial, level);
      return;
    }
    for (int i = 0; i < count && next_ < trials_; ++i) {
      if (!(first && bracket == 0)) check_offspring(next_, level, below, count);
      evaluate(next_++, level);
    }
  }

  void evaluate(std::size_t trial, std::size_t level) {
    evaluations.push_back({trial, lengths_[level]});
    const double value = loss(history_.point(trial), lengths_[level]);
    auto& members = levels_[level];
    const std::size_t slot = counters_[level]++ % sizes_[level];
    if (slot >= members.size())
      members.push_back({trial, value});
    else if (value <= members[slot].loss)
      members[slot] = {trial, value};
  }

  [[nodiscard]] Members sorted(std::size_t level) const {
    Members members = levels_[level];
    std::ranges::stable_sort(members, {}, &Member::loss);
    return members;
  }
  [[nodiscard]] bool has(std::size_t level, std::size_t trial) const {
    return std::ranges::find(levels_[level], trial, &Member::trial) != levels_[level].end();
  }

  // Each coordinate is the target's or that of r1 + F (r2 - r3), for some three of the parents.
  void check_offspring(std::size_t trial, std::size_t level, std::size_t below, int count) {
    Members parents = sorted(below);
    parents.resize(std::min(parents.size(), static_cast<std::size_t>(count)));
    const std::size_t slot = counters_[level] % sizes_[level];
    if (slot >= levels_[level].size()) return;  // competes with no member: any target
    const std::size_t target = levels_[level][slot].trial;
    if (parents.size() < 3) return;  // filled up with mutants
    std::erase_if(parents, [&](const Member& one) { return one.trial == target; });
    if (parents.size() < 3) return;
    bool found = false;
    for (const Member& a : parents)
      for (const Member& b : parents)
        for (const Member& c : parents)
          found |= a.trial != b.trial && b.trial != c.trial && a.trial != c.trial &&
                   stems(trial, target, a.trial, b.trial, c.trial);
    EXPECT_TRUE(found) << "trial " << trial;
    ++checked;
  }

  [[nodiscard]] bool stems(std::size_t trial, std::size_t target, std::size_t a, std::size_t b,
                           std::size_t c) const {
    for (std::size_t j = 0; j < 2; ++j) {
      const double x = history_.point(trial)[j];
      const double mutant =
          history_.point(a)[j] + factor * (history_.point(b)[j] - history_.point(c)[j]);
      const bool drawn_again = mutant < 0 || mutant > 1;
      if (!drawn_again && std::abs(x - mutant) > 1e-9 && x != history_.point(target)[j])
        return false;
    }
    return true;
  }

  const History& history_;
  std::size_t trials_, next_ = 0;
  const std::vector<int> lengths_{1, 3, 9};
  const std::vector<std::size_t> sizes_{9, 3, 3};
  std::vector<Members> levels_{3};
  std::vector<std::size_t> counters_{0, 0, 0};
};

TEST(Dehb, evaluates_what_the_paper_evaluates_in_the_same_order) {
  // The first iteration has 15 trials, every later one 20.
  const Sweep sweep(75);
  Reference reference(sweep.history, 75);
  reference.run();
  EXPECT_EQ(sweep.evaluations, reference.evaluations);
  EXPECT_GT(reference.checked, 25);
}

TEST(Dehb, evolves_better_sets_than_random_search_draws) {
  const Sweep sweep(115);
  const auto mean_loss = [&](std::size_t first, std::size_t end) {
    double sum = 0;
    for (std::size_t trial = first; trial < end; ++trial)
      sum += loss(sweep.history.point(trial), phases);
    return sum / static_cast<double>(end - first);
  };
  EXPECT_LT(mean_loss(75, 115), 0.6 * mean_loss(0, 9));
}

TEST(Dehb, a_plan_names_each_trial_once) {
  for (const int length : {1, 3, 9, 10, 100})
    for (const std::int64_t trials : {1, 7, 15, 200}) {
      const DehbPlan plan(length, 3, trials);
      std::int64_t next = 0;
      for (const DehbStep& step : plan.steps()) {
        EXPECT_LT(step.slot, plan.size(step.level));
        if (step.kind == DehbStep::Kind::promote) continue;
        EXPECT_EQ(step.trial, next++);
      }
      EXPECT_EQ(next, trials) << length;
    }
}

// Workers in parallel: the rung waits for all of them, other trials start meanwhile.
TEST(Dehb, promotes_when_the_whole_rung_has_reported) {
  const auto rule = made(spec_of("dehb"), {15, 1, phases});
  History history(Goal::maximize, 0);
  for (int i = 0; i < 9; ++i) {
    const auto run = history.add_run(history.add_trial({}));
    if (i == 4) continue;
    EXPECT_EQ(rule->judge(history, run, 0, Score::of(i)).action, Action::pause);
    history.add_report(run, 0, Score::of(i));
    history.set_state(run, RunRecord::State::paused);
  }
  EXPECT_EQ(rule->next(history, true).kind, NextAction::Kind::propose);
  EXPECT_TRUE(rule->promotable(history, 0));
  history.add_report(4, 0, Score::of(100));
  history.set_state(4, RunRecord::State::paused);
  const NextAction move = rule->next(history, true);
  EXPECT_EQ(move.kind, NextAction::Kind::promote);
  EXPECT_EQ(move.index, 4u);
  EXPECT_FALSE(rule->promotable(history, 0));
  EXPECT_TRUE(rule->promotable(history, 7));
}

TEST(Dehb, refuses_what_it_cannot_do) {
  SearchSpec search;
  search.method = "dehb";
  search.trials = 20'000;
  EXPECT_EQ(make_sampler(search, cube(1)).error().at, "/search/trials");
  search.trials = 100;
  search.warm_start = {SweepId{1}};
  EXPECT_EQ(make_sampler(search, cube(1)).error().at, "/search/warm_start");
  search.warm_start.clear();
  search.settings = {{"crossover", 2.0}};
  EXPECT_EQ(make_sampler(search, cube(1)).error().at, "/search/crossover");
}

}  // namespace
}  // namespace hone
