// Successive halving, synchronous (Jamieson and Talwalkar, AISTATS 2016).
//
// A bracket has `bracket` trials (by default eta^K for K rungs, so that one run of it trains to the
// end; trials that do not fill another bracket join the last one). Rung k is settled when every run
// of the bracket that may reach it has reported there or ended. Then the best max(1, floor(n_k /
// eta)) continue, where n_k runs were meant to reach it, and the others are closed. While a rung
// waits, free workers start further brackets. Ties: the lower run index.
#include <algorithm>
#include <array>
#include <cmath>

#include "server/search/terminators/halving/rungs.hpp"

namespace hone {
namespace {

class SuccessiveHalving final : public Terminator {
 public:
  SuccessiveHalving(const RungSettings& settings, std::int64_t bracket, const SweepShape& shape)
      : eta_(settings.eta),
        bracket_(bracket),
        rungs_(rungs_of(settings, shape.phases)),
        shape_(shape) {}

  Verdict judge(const History& history, std::size_t run, int phase, Score score) const override {
    const auto rung = rung_after(rungs_, phase);
    if (!rung) return between_rungs(rungs_, phase);
    const std::size_t bracket = bracket_of(history, run);
    const auto members = reach(history, bracket, *rung, false);
    const double merit = score.merit(history.goal());
    std::int64_t waiting = members ? 0 : 1, ahead = 0;
    if (*rung == 0) waiting += unproposed(history, bracket);
    for (const std::size_t other : members.value_or(std::vector<std::size_t>{})) {
      if (other == run) continue;
      if (!settled(history, other, *rung)) ++waiting;
      if (before(merit_at(history, other, *rung), other, merit, run)) ++ahead;
    }
    const std::int64_t kept = sizes(bracket)[*rung + 1];
    const bool continues = waiting == 0 && ahead < kept;
    return {continues ? Action::go_on : Action::pause,
            continues ? VerdictReason::promoted : VerdictReason::awaits_promotion,
            {{"phases", static_cast<double>(phase + 1)},
             {"waiting", static_cast<double>(waiting)},
             {"ahead", static_cast<double>(ahead)},
             {"kept", static_cast<double>(kept)}}};
  }

  // The longest rung first, then the oldest bracket.
  NextAction next(const History& history, bool proposals_left) const override {
    for (std::size_t rung = rungs_.size() - 1; rung-- > 0;)
      for (std::size_t bracket = 0; bracket < brackets(); ++bracket) {
        const auto winners = reach(history, bracket, rung + 1, !proposals_left);
        for (const std::size_t run : winners.value_or(std::vector<std::size_t>{}))
          if (pauses_at(history, run, rung)) return {NextAction::Kind::promote, run};
      }
    return {NextAction::Kind::propose, 0};
  }

  bool promotable(const History& history, std::size_t run) const override {
    const auto rung = rung_after(rungs_, static_cast<int>(history.runs()[run].merits.size()) - 1);
    if (!rung) return true;
    const auto winners = reach(history, bracket_of(history, run), *rung + 1, false);
    return !winners || std::find(winners->begin(), winners->end(), run) != winners->end();
  }

  bool pauses() const override { return true; }

  Action recompute(const std::vector<VerdictInput>& inputs) const override {
    if (find_input(inputs, "next_rung")) return Action::go_on;
    const bool continues =
        input(inputs, "waiting") == 0 && input(inputs, "ahead") < input(inputs, "kept");
    return continues ? Action::go_on : Action::pause;
  }

  std::string explain(const Verdict& verdict) const override {
    const std::string title = "Successive halving";
    if (verdict.reason == VerdictReason::between_rungs)
      return explain_between_rungs(title, verdict);
    const double waiting = input(verdict.inputs, "waiting");
    const std::string rung = "the rung after " + counted(input(verdict.inputs, "phases"), "phase");
    const std::string best = "the best " + number_text(input(verdict.inputs, "kept"));
    if (waiting > 0)
      return title + " paused it: " + rung + " of its bracket waited for " +
             counted(waiting, "more report") + " before choosing " + best;
    return title + (verdict.action == Action::go_on ? " promoted it: " : " did not promote it: ") +
           rung + " of its bracket was complete, " +
           counted(input(verdict.inputs, "ahead"), "run") + " ranked before it, and " + best +
           " continue";
  }

  double expected_phases() const override {
    const auto runs = sizes(0);
    double phases = 0;
    int before = 0;
    for (std::size_t rung = 0; rung < rungs_.size(); ++rung) {
      phases += static_cast<double>(runs[rung] * (rungs_[rung] - before));
      before = rungs_[rung];
    }
    return phases / static_cast<double>(runs[0]);
  }

 private:
  [[nodiscard]] std::size_t brackets() const {
    return static_cast<std::size_t>(std::max<std::int64_t>(1, shape_.trials / bracket_));
  }
  [[nodiscard]] std::size_t bracket_of(const History& history, std::size_t run) const {
    const std::size_t number = history.runs()[run].trial - history.foreign();
    return std::min(number / static_cast<std::size_t>(bracket_), brackets() - 1);
  }
  [[nodiscard]] std::int64_t planned(std::size_t bracket) const {
    const auto first = static_cast<std::int64_t>(bracket) * bracket_;
    const bool last = bracket + 1 == brackets();
    return (last ? shape_.trials - first : bracket_) * shape_.seeds;
  }
  // The number of runs that are meant to reach each rung.
  [[nodiscard]] std::vector<std::int64_t> sizes(std::size_t bracket) const {
    std::vector<std::int64_t> sizes{planned(bracket)};
    while (sizes.size() < rungs_.size())
      sizes.push_back(std::max<std::int64_t>(1, sizes.back() / eta_));
    return sizes;
  }
  [[nodiscard]] std::vector<std::size_t> runs_of(const History& history,
                                                 std::size_t bracket) const {
    std::vector<std::size_t> runs;
    const auto trials = history.trials().subspan(history.foreign());
    const std::size_t first = bracket * static_cast<std::size_t>(bracket_);
    const std::size_t end =
        bracket + 1 == brackets()
            ? trials.size()
            : std::min(trials.size(), first + static_cast<std::size_t>(bracket_));
    for (std::size_t trial = first; trial < end; ++trial)
      runs.insert(runs.end(), trials[trial].runs.begin(), trials[trial].runs.end());
    return runs;
  }
  [[nodiscard]] std::int64_t unproposed(const History& history, std::size_t bracket) const {
    const auto present = static_cast<std::int64_t>(runs_of(history, bracket).size());
    return std::max<std::int64_t>(0, planned(bracket) - present);
  }

  // The runs that reach the rung; nullopt while the previous rung waits for reports.
  [[nodiscard]] std::optional<std::vector<std::size_t>> reach(const History& history,
                                                              std::size_t bracket, std::size_t rung,
                                                              bool all_proposed) const {
    std::vector<std::size_t> members = runs_of(history, bracket);
    const auto runs = sizes(bracket);
    for (std::size_t k = 0; k < rung; ++k) {
      if (k == 0 && !all_proposed && unproposed(history, bracket) > 0) return std::nullopt;
      for (const std::size_t run : members)
        if (!settled(history, run, k)) return std::nullopt;
      std::erase_if(members,
                    [&](std::size_t run) { return std::isinf(merit_at(history, run, k)); });
      std::sort(members.begin(), members.end(), [&](std::size_t left, std::size_t right) {
        return before(merit_at(history, left, k), left, merit_at(history, right, k), right);
      });
      members.resize(std::min(members.size(), static_cast<std::size_t>(runs[k + 1])));
    }
    return members;
  }

  [[nodiscard]] std::size_t length(std::size_t rung) const {
    return static_cast<std::size_t>(rungs_[rung]);
  }
  [[nodiscard]] bool settled(const History& history, std::size_t run, std::size_t rung) const {
    const RunRecord& record = history.runs()[run];
    return record.merits.size() >= length(rung) || record.state == RunRecord::State::ended;
  }
  [[nodiscard]] bool pauses_at(const History& history, std::size_t run, std::size_t rung) const {
    const RunRecord& record = history.runs()[run];
    return record.state == RunRecord::State::paused && record.merits.size() == length(rung);
  }
  // Minus infinity for a run that did not reach the rung.
  [[nodiscard]] double merit_at(const History& history, std::size_t run, std::size_t rung) const {
    const auto& merits = history.runs()[run].merits;
    return merits.size() < length(rung) ? -std::numeric_limits<double>::infinity()
                                        : merits[length(rung) - 1];
  }
  static bool before(double left, std::size_t left_run, double right, std::size_t right_run) {
    return left != right ? left > right : left_run < right_run;
  }

  int eta_;
  std::int64_t bracket_;  // trials
  std::vector<int> rungs_;
  SweepShape shape_;
};

}  // namespace

Result<std::unique_ptr<Terminator>> make_sha(const TerminatorSpec& spec, const SweepShape& shape) {
  static constexpr std::array<std::string_view, 3> known{"eta", "first_rung", "bracket"};
  if (auto fits = only_settings(spec, known); !fits) return fits.error();
  const auto settings = rung_settings(spec, shape);
  if (!settings) return settings.error();
  std::int64_t one_survivor = 1;
  for (std::size_t k = 1; k < rungs_of(*settings, shape.phases).size(); ++k)
    one_survivor = std::min<std::int64_t>(one_survivor * settings->eta, 1'000'000);
  const auto bracket =
      count_setting(spec, "bracket", static_cast<int>(one_survivor), {1, 1'000'000});
  if (!bracket) return bracket.error();
  return std::unique_ptr<Terminator>(
      std::make_unique<SuccessiveHalving>(*settings, *bracket, shape));
}

}  // namespace hone
