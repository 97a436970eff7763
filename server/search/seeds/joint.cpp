#include "server/search/seeds/joint.hpp"

#include <algorithm>
#include <cmath>

#include "server/search/seeds/whole.hpp"
#include "server/search/statistics/aggregate.hpp"

namespace hone {
namespace {

constexpr double memory_share = 0.1;      // of a complete run: how far back scores remember
constexpr double significance = 0.05;     // of being worse than the leader, one-sided
constexpr std::size_t contenders = 3;     // that further seeds are for
constexpr double work_share_most = 0.25;  // of all phases that further seeds may take
constexpr std::string_view seeds_awaited = "seeds_awaited";

std::size_t whole_index(const History& history, std::size_t trial) {
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
    if (history.runs()[run].standing != RunRecord::Standing::paused) continue;
    if (!last || history.runs()[run].merits.size() < history.runs()[*last].merits.size())
      last = run;
  }
  return last;
}

Verdict waits(double missing) {
  return {Action::pause, VerdictReason::awaits_seeds, {{std::string(seeds_awaited), missing}}};
}

}  // namespace

Joint::Joint(std::unique_ptr<Terminator> inner, const Plan& plan, bool closes)
    : inner_(std::move(inner)), plan_(plan), closes_(closes) {}

Verdict Joint::judge(const History& history, std::size_t run, int phase, Score score) const {
  if (!plan_.replication.ranks) return judge_seen(history, run, phase, score);
  // All rank as they do with this report, so that what ties now ties then.
  History seen = history;
  seen.anticipate(run, phase, score.merit(history.goal()));
  return judge_seen(seen, run, phase, score);
}

Verdict Joint::judge_seen(const History& history, std::size_t run, int phase, Score score) const {
  const RunRecord& record = history.runs()[run];
  if (evicted(history, record.trial))
    return {Action::stop, VerdictReason::evicted, {{"trial_stopped", 1}}};
  if (record.replicate >= plan_.replication.first) return judge_further(history, run, phase);
  const Panel panel(history, record.trial, NewReport{run, score.merit(history.goal())});
  const Verdict verdict = judge_whole(history, run, phase, panel);
  const bool complete = panel.length() > phase;
  if (!complete) {
    const bool alone = verdict.action == Action::go_on && verdict.reason != VerdictReason::promoted;
    if (!alone) return waits(static_cast<double>(panel.missing(phase)));
    return verdict;
  }
  if (verdict.action == Action::stop || !plan_.replication.race) return verdict;
  return judge_race(history, record.trial, phase, panel).value_or(verdict);
}

// What the rule says of the trial, as far as its runs have come.
Verdict Joint::judge_whole(const History& history, std::size_t run, int phase,
                           const Panel& panel) const {
  const std::size_t trial = history.runs()[run].trial;
  const auto values = panel.values(phase);
  const Score merit = Score::of(aggregate_of(plan_.replication.aggregate, values));
  if (merit.is_diverged())  // another run of it failed, and its aggregate does not forgive that
    return {Action::stop, VerdictReason::evicted, {{"trial_failed", 1}}};
  const History whole = whole_trials(history, Ahead{trial, phase});
  const std::size_t index = whole_index(history, trial);
  // A trial that failed for a while under the aggregate, and no longer does, is judged anew.
  if (static_cast<int>(whole.runs()[index].merits.size()) != phase)
    return {Action::go_on, VerdictReason::collecting, {{"unsettled", 1}}};
  Verdict verdict = inner_->judge(whole, index, phase, merit);
  verdict.inputs.push_back({"seeds_judged", static_cast<double>(values.size())});
  verdict.inputs.push_back({"aggregate", merit.value()});
  return verdict;
}

// A further seed catches up with its trial, and then goes with it.
Verdict Joint::judge_further(const History& history, std::size_t run, int phase) const {
  const std::size_t trial = history.runs()[run].trial;
  const Panel panel(history, trial);
  const int trained = phase + 1;
  const bool on = trained < panel.length() ||
                  (trained == panel.length() && goes_beyond(history, trial, panel.length()));
  if (on || panel.length() >= plan_.phases)
    return {Action::go_on, VerdictReason::good_enough, {{"further_seed", 1}}};
  return waits(0);
}

std::optional<Verdict> Joint::judge_race(const History& history, std::size_t trial, int phase,
                                         const Panel& panel) const {
  const Race race(history, memory_share * plan_.phases);
  if (race.standings().empty() || race.standings().front().trial == trial) return std::nullopt;
  const Panel leader(history, race.standings().front().trial);
  if (leader.length() <= phase) return std::nullopt;
  const double memory = memory_share * plan_.phases;
  const auto own = panel.smoothed(phase, memory);
  const auto others = leader.smoothed(phase, memory);
  const auto finite = [](double value) { return std::isfinite(value); };
  if (!std::all_of(own.begin(), own.end(), finite) ||
      !std::all_of(others.begin(), others.end(), finite))
    return std::nullopt;
  const Noise noise = noise_at(history, phase, memory);
  const double p = p_worse(own, others, noise);
  if (!(p < significance)) return std::nullopt;
  return Verdict{Action::stop,
                 VerdictReason::outraced,
                 {{"p_worse", p},
                  {"mean", mean_of(own)},
                  {"leader", mean_of(others)},
                  {"seeds", static_cast<double>(own.size())},
                  {"leader_seeds", static_cast<double>(others.size())},
                  {"noise", std::sqrt(noise.variance)},
                  {"noise_degrees", noise.degrees}}};
}

// Whether paused run `run` is to go on whatever the rule says of its trial now: the trial went on
// without it, or has been waiting for nobody.
bool Joint::owed(const History& history, std::size_t run, const Panel& panel) const {
  const RunRecord& record = history.runs()[run];
  if (record.standing != RunRecord::Standing::paused) return false;
  const auto trained = static_cast<int>(record.merits.size());
  const bool further = record.replicate >= plan_.replication.first;
  const bool left_behind =
      goes_beyond(history, record.trial, trained) || (further && trained < panel.length());
  const bool unjudged = !inner_->pauses() && panel.length() >= trained;
  return (left_behind && (further || panel.length() >= trained)) || unjudged;
}

std::optional<std::size_t> Joint::resumable(const History& history) const {
  for (std::size_t trial = history.foreign(); trial < history.trials().size(); ++trial) {
    if (!last_paused(history, trial) || evicted(history, trial)) continue;
    const Panel panel(history, trial);
    for (const std::size_t run : history.trials()[trial].runs)
      if (owed(history, run, panel)) return run;
  }
  return std::nullopt;
}

// The trial that one more seed tells most about: of the best by expectation, the one with the
// fewest. nullopt where it is settled, or where further seeds took their share of the work. With
// nothing else to do (`idle`) they may take more.
std::optional<std::size_t> Joint::contender(const History& history, bool idle) const {
  if (!plan_.replication.race || plan_.replication.most <= plan_.replication.first)
    return std::nullopt;
  const Race race(history, memory_share * plan_.phases);
  if (race.standings().empty()) return std::nullopt;
  double reported = 0, further = 0;
  for (const RunRecord& run : history.runs()) {
    reported += static_cast<double>(run.merits.size());
    if (run.replicate < plan_.replication.first) continue;
    const bool ended = run.standing == RunRecord::Standing::ended;
    further += ended ? static_cast<double>(run.merits.size()) : plan_.phases;
  }
  const double share = work_share_most * (1 - race.reliability());
  if (!idle && further + plan_.phases > share * reported) return std::nullopt;
  const Standing& leader = race.standings().front();
  const Standing* chosen = nullptr;
  for (const Standing& one :
       race.standings().first(std::min(contenders, race.standings().size()))) {
    if (2 * one.length < plan_.phases || one.runs >= plan_.replication.most ||
        evicted(history, one.trial))
      continue;
    const bool settled = one.trial != leader.trial &&
                         p_worse(one.values, leader.values, race.noise()) < significance;
    if (!settled && (chosen == nullptr || one.runs < chosen->runs)) chosen = &one;
  }
  if (chosen == nullptr) return std::nullopt;
  return chosen->trial;
}

Move Joint::next(const History& history, bool proposals_left) const {
  if (const auto run = resumable(history)) return {Move::Kind::promote, *run};
  if (const auto trial = contender(history, false)) return {Move::Kind::replicate, *trial};
  const Move move = inner_->next(whole_trials(history), proposals_left);
  if (move.kind == Move::Kind::promote) {
    const std::size_t trial = move.index + history.foreign();
    if (const auto run = last_paused(history, trial)) return {Move::Kind::promote, *run};
  }
  if (move.kind == Move::Kind::propose && proposals_left) return move;
  if (const auto trial = contender(history, true)) return {Move::Kind::replicate, *trial};
  return {move.kind == Move::Kind::propose ? Move::Kind::propose : Move::Kind::wait, 0};
}

bool Joint::promotable(const History& history, std::size_t run) const {
  const std::size_t trial = history.runs()[run].trial;
  if (evicted(history, trial)) return false;
  if (!closes_) return true;
  const Panel panel(history, trial);
  const auto& runs = history.trials()[trial].runs;  // where one is still to come, all wait for it
  if (std::any_of(runs.begin(), runs.end(),
                  [&](std::size_t one) { return owed(history, one, panel); }))
    return true;
  const History whole = whole_trials(history);
  const std::size_t index = whole_index(history, trial);
  if (whole.runs()[index].standing != RunRecord::Standing::paused) return true;
  return inner_->promotable(whole, index);
}

std::optional<std::size_t> Joint::incumbent(const History& history) const {
  const Race race(history, memory_share * plan_.phases);
  if (!race.standings().empty()) return race.standings().front().trial;
  if (plan_.replication.ranks) return std::nullopt;  // single reports of two games say nothing
  return Terminator::incumbent(history);
}

Action Joint::recompute(const std::vector<VerdictInput>& inputs) const {
  if (find_input(inputs, "trial_stopped") || find_input(inputs, "trial_failed"))
    return Action::stop;
  if (find_input(inputs, "further_seed") || find_input(inputs, "unsettled")) return Action::go_on;
  if (find_input(inputs, seeds_awaited)) return Action::pause;
  if (const auto p = find_input(inputs, "p_worse"))
    return *p < significance ? Action::stop : Action::go_on;
  return inner_->recompute(inputs);
}

std::string Joint::explain(const Verdict& verdict) const {
  const auto& inputs = verdict.inputs;
  if (find_input(inputs, "trial_stopped"))
    return "its trial had been stopped: all its seeds are judged together";
  if (find_input(inputs, "trial_failed"))
    return "another seed of its trial failed, and the trial is worth no more than that by the "
           "aggregate of this sweep";
  if (find_input(inputs, "further_seed"))
    return "it is a further seed of a contender, and trains as far as its trial did";
  if (find_input(inputs, "unsettled")) return "its trial is judged again at a later phase";
  if (verdict.reason == VerdictReason::awaits_seeds) {
    const double missing = input(inputs, seeds_awaited);
    if (missing > 0)
      return "it waits: the trial is judged once " + counted(missing, "more seed") + " came as far";
    return "it waits for its trial, with which it caught up";
  }
  if (const auto p = find_input(inputs, "p_worse"))
    return "its trial is significantly worse than the leader: mean " +
           number_text(input(inputs, "mean")) + " of " + counted(input(inputs, "seeds"), "seed") +
           " against " + number_text(input(inputs, "leader")) + " of " +
           number_text(input(inputs, "leader_seeds")) + ", p = " + number_text(*p) +
           (find_input(inputs, "noise_degrees").value_or(0) > 0
                ? ", where seeds of one trial differ by " + number_text(input(inputs, "noise"))
                : "");
  const auto seeds = find_input(inputs, "seeds_judged");
  return inner_->explain(verdict) +
         (seeds ? " (its trial, judged by " + counted(*seeds, "seed") + ")" : "");
}

Result<std::unique_ptr<Terminator>> make_joint(const TerminatorSpec& spec, const Plan& plan,
                                               const TerminatorRow& row) {
  TerminatorSpec single = spec;
  const auto set = [](const auto& one) { return one.first == "second_looks"; };
  // Racing gives the second looks.
  if (spec.rule == "hone" && std::none_of(spec.settings.begin(), spec.settings.end(), set))
    single.settings.emplace_back("second_looks", 0);
  auto inner = row.make(single, {plan.trials, 1, plan.phases, plan.timed, {}});
  if (!inner) return inner.error();
  const bool closes = spec.rule != "hone" && (*inner)->pauses();
  return std::unique_ptr<Terminator>(std::make_unique<Joint>(*std::move(inner), plan, closes));
}

}  // namespace hone
