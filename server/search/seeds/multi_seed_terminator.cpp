#include "server/search/seeds/multi_seed_terminator.hpp"

#include <algorithm>
#include <cmath>

#include "schemas/types/aggregate.hpp"
#include "schemas/types/reach.hpp"
#include "server/search/seeds/collapse_seeds.hpp"

namespace hone {
namespace {

constexpr double significance = 0.05;  // level of being worse than the leader, one-sided
constexpr std::size_t contenders = 3;  // trials that may get further seeds
// Further seeds may take this share of all phases, the less the more reliable the ranking is.
constexpr double further_share_max = 0.25;
constexpr std::string_view seeds_awaited = "seeds_awaited";

std::size_t collapsed_index(const History& history, std::size_t trial) {
  return trial - history.foreign();
}

bool evicted(const History& history, std::size_t trial) {
  const auto& runs = history.trials()[trial].runs;
  return std::any_of(runs.begin(), runs.end(),
                     [&](std::size_t run) { return history.runs()[run].evicted; });
}

// The paused run of a trial that is furthest behind.
std::optional<std::size_t> last_paused(const History& history, std::size_t trial) {
  std::optional<std::size_t> last;
  for (const std::size_t run : history.trials()[trial].runs) {
    if (history.runs()[run].state != RunRecord::State::paused) continue;
    if (!last || history.runs()[run].merits.size() < history.runs()[*last].merits.size())
      last = run;
  }
  return last;
}

// A merit as the verdict shows it.
double shown(double merit, const History& history) {
  return history.goal() == Goal::maximize || !history.replication().in_units ? merit : -merit;
}

Verdict waits(double missing) {
  return {Action::pause, VerdictReason::awaits_seeds, {{std::string(seeds_awaited), missing}}};
}

}  // namespace

MultiSeedTerminator::MultiSeedTerminator(std::unique_ptr<Terminator> inner, const SweepShape& shape,
                                         bool closes_early)
    : inner_(std::move(inner)), shape_(shape), closes_early_(closes_early) {}

Verdict MultiSeedTerminator::judge(const History& history, std::size_t run, int phase,
                                   Score score) const {
  if (!shape_.replication.ranks) return judge_ranked(history, run, phase, score);
  // Rank all runs as if this report were added, so that present ties stay ties.
  History ranked = history;
  ranked.anticipate(run, phase, score.merit(history.goal()));
  return judge_ranked(ranked, run, phase, score);
}

Verdict MultiSeedTerminator::judge_ranked(const History& history, std::size_t run, int phase,
                                          Score score) const {
  const RunRecord& record = history.runs()[run];
  if (evicted(history, record.trial))
    return {Action::stop, VerdictReason::evicted, {{"trial_stopped", 1}}};
  if (record.replicate >= shape_.replication.first) return judge_further(history, run, phase);
  const SeedCurves curves(history, record.trial, NewReport{run, score.merit(history.goal())});
  const Verdict verdict = judge_trial(history, run, phase, curves);
  const bool complete = curves.length() > phase;
  if (!complete) {
    const bool alone = verdict.action == Action::go_on && verdict.reason != VerdictReason::promoted;
    if (!alone) return waits(static_cast<double>(curves.missing(phase)));
    return verdict;
  }
  if (verdict.action == Action::stop || !shape_.replication.race) return verdict;
  return judge_race(history, record.trial, phase, curves).value_or(verdict);
}

// The verdict of the inner rule on the trial, with the values that its runs have reported.
Verdict MultiSeedTerminator::judge_trial(const History& history, std::size_t run, int phase,
                                         const SeedCurves& curves) const {
  const std::size_t trial = history.runs()[run].trial;
  const auto values = curves.values(phase);
  const Score value = Score::of(shown(aggregate_of(shape_.replication.aggregate, values), history));
  if (value.is_diverged())  // another run failed, and the aggregate counts it
    return {Action::stop, VerdictReason::evicted, {{"trial_failed", 1}}};
  const History collapsed = collapse_seeds(history, EarlyTrial{trial, phase});
  const std::size_t index = collapsed_index(history, trial);
  // The aggregate had diverged at an earlier phase, and no longer does: judge it again later.
  if (static_cast<int>(collapsed.runs()[index].merits.size()) != phase)
    return {Action::go_on, VerdictReason::collecting, {{"unsettled", 1}}};
  Verdict verdict = inner_->judge(collapsed, index, phase, value);
  verdict.inputs.push_back({"seeds_judged", static_cast<double>(values.size())});
  verdict.inputs.push_back({"aggregate", value.value()});
  return verdict;
}

// A further seed trains as far as its trial, and then continues with it.
Verdict MultiSeedTerminator::judge_further(const History& history, std::size_t run,
                                           int phase) const {
  const std::size_t trial = history.runs()[run].trial;
  const SeedCurves curves(history, trial);
  const int trained = phase + 1;
  const bool trains_on =
      trained < curves.length() ||
      (trained == curves.length() && goes_beyond(history, trial, curves.length()));
  if (trains_on || curves.length() >= shape_.phases)
    return {Action::go_on, VerdictReason::good_enough, {{"further_seed", 1}}};
  return waits(0);
}

std::optional<Verdict> MultiSeedTerminator::judge_race(const History& history, std::size_t trial,
                                                       int phase, const SeedCurves& curves) const {
  const Race race(history, smoothing_share * shape_.phases);
  if (race.ranking().empty() || race.ranking().front().trial == trial) return std::nullopt;
  const SeedCurves leader(history, race.ranking().front().trial);
  if (leader.length() <= phase) return std::nullopt;
  const double memory = smoothing_share * shape_.phases;
  const auto own = curves.smoothed(phase, memory);
  const auto others = leader.smoothed(phase, memory);
  if (!all_finite(own) || !all_finite(others)) return std::nullopt;
  const auto reached = all_reached(history, own);
  if (!reached || reached != all_reached(history, others)) return std::nullopt;
  const Noise noise = noise_at(history, phase, memory, *reached);
  const double p = p_worse(own, others, noise);
  if (!(p < significance)) return std::nullopt;
  return Verdict{Action::stop,
                 VerdictReason::outraced,
                 {{"p_worse", p},
                  {"mean", shown(mean_of(own), history)},
                  {"leader", shown(mean_of(others), history)},
                  {"seeds", static_cast<double>(own.size())},
                  {"leader_seeds", static_cast<double>(others.size())},
                  {"noise", std::sqrt(noise.variance)},
                  {"noise_degrees", noise.degrees}}};
}

// Whether paused run `run` must continue whatever the inner rule decides now: its trial trained on
// without it, or the run waits although no sibling is missing.
bool MultiSeedTerminator::must_continue(const History& history, std::size_t run,
                                        const SeedCurves& curves) const {
  const RunRecord& record = history.runs()[run];
  if (record.state != RunRecord::State::paused) return false;
  const auto trained = static_cast<int>(record.merits.size());
  const bool further = record.replicate >= shape_.replication.first;
  const bool left_behind =
      goes_beyond(history, record.trial, trained) || (further && trained < curves.length());
  const bool unjudged = !inner_->pauses() && curves.length() >= trained;
  return (left_behind && (further || curves.length() >= trained)) || unjudged;
}

std::optional<std::size_t> MultiSeedTerminator::resumable(const History& history) const {
  for (std::size_t trial = history.foreign(); trial < history.trials().size(); ++trial) {
    if (!last_paused(history, trial) || evicted(history, trial)) continue;
    const SeedCurves curves(history, trial);
    for (const std::size_t run : history.trials()[trial].runs)
      if (must_continue(history, run, curves)) return run;
  }
  return std::nullopt;
}

// The trial that gets one more seed: among the best expected trials that are not significantly
// worse than the leader, the one with the fewest runs. nullopt if none qualifies, or if further
// seeds have taken their share of the phases; `idle` workers may exceed that share.
std::optional<std::size_t> MultiSeedTerminator::contender(const History& history, bool idle) const {
  if (!shape_.replication.race || shape_.replication.most <= shape_.replication.first)
    return std::nullopt;
  const Race race(history, smoothing_share * shape_.phases);
  if (race.ranking().empty()) return std::nullopt;
  double reported = 0, further = 0;
  for (const RunRecord& run : history.runs()) {
    reported += static_cast<double>(run.merits.size());
    if (run.replicate < shape_.replication.first) continue;
    const bool ended = run.state == RunRecord::State::ended;
    further += ended ? static_cast<double>(run.merits.size()) : shape_.phases;
  }
  const double share = further_share_max * (1 - race.reliability());
  if (!idle && further + shape_.phases > share * reported) return std::nullopt;
  const TrialRank& leader = race.ranking().front();
  const TrialRank* chosen = nullptr;
  for (const TrialRank& one : race.ranking().first(std::min(contenders, race.ranking().size()))) {
    if (2 * one.length < shape_.phases || one.runs >= shape_.replication.most ||
        evicted(history, one.trial))
      continue;
    const auto reached = all_reached(history, one.values);
    const bool settled =
        one.trial != leader.trial &&
        (reached != all_reached(history, leader.values) ||
         (reached && p_worse(one.values, leader.values, race.noise()) < significance));
    if (!settled && (chosen == nullptr || one.runs < chosen->runs)) chosen = &one;
  }
  if (chosen == nullptr) return std::nullopt;
  return chosen->trial;
}

NextAction MultiSeedTerminator::next(const History& history, bool proposals_left) const {
  if (const auto run = resumable(history)) return {NextAction::Kind::promote, *run};
  if (const auto trial = contender(history, false)) return {NextAction::Kind::replicate, *trial};
  const NextAction action = inner_->next(collapse_seeds(history), proposals_left);
  if (action.kind == NextAction::Kind::promote) {
    const std::size_t trial = action.index + history.foreign();
    if (const auto run = last_paused(history, trial)) return {NextAction::Kind::promote, *run};
  }
  if (action.kind == NextAction::Kind::propose && proposals_left) return action;
  if (const auto trial = contender(history, true)) return {NextAction::Kind::replicate, *trial};
  return {
      action.kind == NextAction::Kind::propose ? NextAction::Kind::propose : NextAction::Kind::wait,
      0};
}

bool MultiSeedTerminator::promotable(const History& history, std::size_t run) const {
  const std::size_t trial = history.runs()[run].trial;
  if (evicted(history, trial)) return false;
  if (!closes_early_) return true;
  const SeedCurves curves(history, trial);
  const auto& runs = history.trials()[trial].runs;  // all wait for one that must continue
  if (std::any_of(runs.begin(), runs.end(),
                  [&](std::size_t one) { return must_continue(history, one, curves); }))
    return true;
  const History collapsed = collapse_seeds(history);
  const std::size_t index = collapsed_index(history, trial);
  if (collapsed.runs()[index].state != RunRecord::State::paused) return true;
  return inner_->promotable(collapsed, index);
}

std::optional<std::size_t> MultiSeedTerminator::incumbent(const History& history) const {
  const Race race(history, smoothing_share * shape_.phases);
  if (!race.ranking().empty()) return race.ranking().front().trial;
  if (shape_.replication.ranks)
    return std::nullopt;  // single reports of two problems do not compare
  return Terminator::incumbent(history);
}

Action MultiSeedTerminator::recompute(const std::vector<VerdictInput>& inputs) const {
  if (find_input(inputs, "trial_stopped") || find_input(inputs, "trial_failed"))
    return Action::stop;
  if (find_input(inputs, "further_seed") || find_input(inputs, "unsettled")) return Action::go_on;
  if (find_input(inputs, seeds_awaited)) return Action::pause;
  if (const auto p = find_input(inputs, "p_worse"))
    return *p < significance ? Action::stop : Action::go_on;
  return inner_->recompute(inputs);
}

namespace {

// Between a time and a run that has not reached the bar, a difference says nothing.
bool told_noise(const std::vector<VerdictInput>& inputs, const SweepShape& shape) {
  if (find_input(inputs, "noise_degrees").value_or(0) <= 0) return false;
  const auto beyond = [&](const char* name) {
    return std::abs(input(inputs, name)) >= some_not_reached_from;
  };
  return !shape.until_bar || !(beyond("noise") || beyond("mean") || beyond("leader"));
}

}  // namespace

std::string MultiSeedTerminator::explain(const Verdict& verdict) const {
  const auto& inputs = verdict.inputs;
  if (find_input(inputs, "trial_stopped"))
    return "its trial had been stopped: all of its seeds are judged together";
  if (find_input(inputs, "trial_failed"))
    return "another seed of its trial failed, and the aggregate of this sweep counts failed seeds";
  if (find_input(inputs, "further_seed"))
    return "it is a further seed of a contender, and trains as far as its trial";
  if (find_input(inputs, "unsettled")) return "its trial is judged again at a later phase";
  // Also of a winner, which does not wait although its rule would let it.
  if (const auto missing = find_input(inputs, seeds_awaited)) {
    const std::string waits =
        verdict.reason == VerdictReason::awaits_seeds ? "it waits" : "it would wait";
    if (*missing > 0)
      return waits + ": the trial is judged after " + counted(*missing, "more seed") +
             " reported this phase";
    return waits + " for its trial: it has caught up with it";
  }
  if (const auto p = find_input(inputs, "p_worse"))
    return "its trial is significantly worse than the leader: mean " +
           value_text(input(inputs, "mean"), shape_) + " of " +
           counted(input(inputs, "seeds"), "seed") + " against " +
           value_text(input(inputs, "leader"), shape_) + " of " +
           number_text(input(inputs, "leader_seeds")) + ", p = " + number_text(*p) +
           (told_noise(inputs, shape_)
                ? ", where seeds of one trial differ by " + number_text(input(inputs, "noise"))
                : "");
  const auto seeds = find_input(inputs, "seeds_judged");
  return inner_->explain(verdict) +
         (seeds ? " (its trial, judged by " + counted(*seeds, "seed") + ")" : "");
}

Result<std::unique_ptr<Terminator>> make_multi_seed(const TerminatorSpec& spec,
                                                    const SweepShape& shape,
                                                    const TerminatorRow& row) {
  auto inner = row.make(spec, {.trials = shape.trials,
                               .phases = shape.phases,
                               .timed = shape.timed,
                               .until_bar = shape.until_bar,
                               .second_looks = false});
  if (!inner) return inner.error();
  return std::unique_ptr<Terminator>(
      std::make_unique<MultiSeedTerminator>(*std::move(inner), shape, row.closes_early));
}

}  // namespace hone
