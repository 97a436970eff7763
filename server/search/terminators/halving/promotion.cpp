#include "server/search/terminators/halving/promotion.hpp"

#include <algorithm>

namespace hone {

Promotion::Promotion(std::string title, double expected, Brackets brackets, const SweepShape& shape)
    : title_(std::move(title)),
      expected_(expected),
      brackets_(std::move(brackets)),
      bracket_runs_(brackets_.rungs.size(), 0) {
  for (std::size_t bracket = 0; bracket < brackets_.rungs.size(); ++bracket)
    for (const int length : brackets_.rungs[bracket])
      if (length < shape.phases) stages_.push_back({length, bracket});
  std::stable_sort(stages_.begin(), stages_.end(),
                   [](const Stage& a, const Stage& b) { return a.length > b.length; });
  const auto period = static_cast<std::int64_t>(brackets_.deal.size());
  for (std::int64_t place = 0; place < period; ++place) {
    const std::int64_t trials = shape.trials / period + (place < shape.trials % period ? 1 : 0);
    bracket_runs_[brackets_.deal[static_cast<std::size_t>(place)]] += trials * shape.seeds;
  }
}

std::size_t Promotion::bracket_of(const History& history, std::size_t run) const {
  const std::size_t number = history.runs()[run].trial - history.foreign();
  return brackets_.deal[number % brackets_.deal.size()];
}

std::optional<Promotion::Claim> Promotion::claim_at(const History& history, std::size_t run,
                                                    const Stage& stage) const {
  const RunRecord& record = history.runs()[run];
  const auto length = static_cast<std::size_t>(stage.length);
  if (record.merits.size() < length || bracket_of(history, run) != stage.bracket)
    return std::nullopt;
  return Claim{record.merits[length - 1], record.merits.size(),
               record.state == RunRecord::State::active, run};
}

bool Promotion::before(const Claim& left, const Claim& right) {
  if (left.merit != right.merit) return left.merit > right.merit;
  if (left.length != right.length) return left.length > right.length;
  if (left.active != right.active) return left.active;
  return left.run < right.run;
}

Promotion::RungRank Promotion::rank_at(const History& history, const Stage& stage,
                                       const Claim& claim) const {
  RungRank rank{1, 0};
  for (std::size_t run = 0; run < history.runs().size(); ++run) {
    if (run == claim.run) continue;
    const auto other = claim_at(history, run, stage);
    if (!other) continue;
    ++rank.reports;
    if (before(*other, claim)) ++rank.ahead;
  }
  return rank;
}

Verdict Promotion::judge(const History& history, std::size_t run, int phase, Score score) const {
  const std::size_t bracket = bracket_of(history, run);
  const auto& rungs = brackets_.rungs[bracket];
  if (!rung_after(rungs, phase)) return between_rungs(rungs, phase);
  const Stage stage{phase + 1, bracket};
  // It competes as a paused run: a run that ties with it and continued ranks before it.
  const Claim claim{score.merit(history.goal()), static_cast<std::size_t>(stage.length), false,
                    run};
  const RungRank rank = rank_at(history, stage, claim);
  const std::int64_t quota = rank.reports / brackets_.eta;
  const bool continues = rank.ahead < quota;
  return {continues ? Action::go_on : Action::pause,
          continues ? VerdictReason::promoted : VerdictReason::awaits_promotion,
          {{"phases", static_cast<double>(stage.length)},
           {"reports", static_cast<double>(rank.reports)},
           {"ahead", static_cast<double>(rank.ahead)},
           {"quota", static_cast<double>(quota)}}};
}

// The best paused run of a rung has the fewest runs ahead of it: if it may not continue, none may.
NextAction Promotion::next(const History& history, bool) const {
  for (const Stage& stage : stages_) {
    std::optional<Claim> best;
    for (std::size_t run = 0; run < history.runs().size(); ++run) {
      if (history.runs()[run].state != RunRecord::State::paused) continue;
      const auto claim = claim_at(history, run, stage);
      if (!claim || claim->length != static_cast<std::size_t>(stage.length)) continue;
      if (!best || before(*claim, *best)) best = claim;
    }
    if (!best) continue;
    const RungRank rank = rank_at(history, stage, *best);
    if (rank.ahead < rank.reports / brackets_.eta) return {NextAction::Kind::promote, best->run};
  }
  return {NextAction::Kind::propose, 0};
}

// Later reports can only put more runs ahead of it, and a rung holds at most the runs of its
// bracket.
bool Promotion::promotable(const History& history, std::size_t run) const {
  const RunRecord& record = history.runs()[run];
  if (record.merits.empty()) return true;
  const Stage stage{static_cast<int>(record.merits.size()), bracket_of(history, run)};
  const std::int64_t most = bracket_runs_[stage.bracket] / brackets_.eta;
  // Check the sorted column of the whole phase first: it decides for most runs.
  const auto column = history.merits(stage.length - 1);
  const auto no_worse =
      column.end() - std::lower_bound(column.begin(), column.end(), record.merits.back());
  if (no_worse <= most) return true;
  const auto claim = claim_at(history, run, stage);
  return rank_at(history, stage, *claim).ahead < most;
}

Action Promotion::recompute(const std::vector<VerdictInput>& inputs) const {
  if (find_input(inputs, "next_rung")) return Action::go_on;
  return input(inputs, "ahead") < input(inputs, "quota") ? Action::go_on : Action::pause;
}

std::string Promotion::explain(const Verdict& verdict) const {
  if (verdict.reason == VerdictReason::between_rungs) return explain_between_rungs(title_, verdict);
  const double quota = input(verdict.inputs, "quota");
  const bool promoted = verdict.action == Action::go_on;
  return title_ + (promoted ? " promoted it at once: " : " paused it: ") + "of the " +
         counted(input(verdict.inputs, "reports"), "run") + " that reported after " +
         counted(input(verdict.inputs, "phases"), "phase") + ", " +
         number_text(input(verdict.inputs, "ahead")) + " ranked before it, and the best " +
         number_text(quota) + (promoted ? " continue" : " continue; it may still be promoted");
}

}  // namespace hone
