// Versions 1 to 4 of the rule `hone` (agreement_rule.cpp: version 5). A free worker always takes
// the highest open promotion (docs/hone-versions.md gives the reasons and the ablation). With P
// phases, and a run's score after p reports the exponentially weighted mean of them
// (smoothed_curves.hpp), one measured number controls every decision:
//
//   efficiency   e in [0, 1]: how smoothly the best runs climb; doubt d = (1 - e)^2
//   hedge        3 % of the trials, the first one and then every 33rd, always train to their end:
//                where early ranks mislead, part of the work does not depend on them
//   second look  while runs beyond the sweep's own have taken less than d of all phases: one more
//                seed of the incumbent, if it trained for half a run and has fewer than three
//   promotion    from the highest phase p down: of the n runs that reported p times, a paused one
//                continues if its rank is at most n * (p / p')^a, where p' is the next judged phase
//                and a = 1/2 + 3/2 e (half of that once every trial is started); or if it ties with
//                the first, and so does the upper half
//   new trial    while trials are left; with `forks: s`, at most a share s of them continue a run
//                of the best fifth from one of its checkpoints, with other parameters
//   otherwise    wait: when no run trains any more, what could not be promoted is closed and the
//                sweep ends. With use_time and limits.duration, the paused run of the largest score
//                continues instead
//
// A report's verdict is continue if a worker that were free now would take this very run, else
// pause. If there are many phases, only every (P / 10)th is judged. The incumbent is the leader by
// scores, each lowered by what leaders of its length lost later (SmoothedCurves::change_after).
//
// Version 1, that of a recorded sweep without a number, has no hedge and expects no decline.
// `version: 2` switches both on. `version: 3` is version 2 that averages times until a bar with
// times alone; for all other objectives the two are the same. `version: 4` is version 3 that uses
// what the sweeps of search.warm_start have shown about early ranks (rank_prior.hpp). With u the
// trust in ranks after p reports, a is at most 2 u (half of that once every trial is started); and
// what an incomplete trial lies above the middle counts times u.
//
// Where the rule starts forks, one has no rank at the phases that it inherits, and its trial gets
// no second look, which would train from nothing. Forks that a user enqueues change nothing else.
//
// Settings switch parts off, to measure what each is worth: efficiency (a fixed e), second_looks,
// shrink (of the incumbent, by doubt), decline, prior, ties and use_time (0 or 1), hedge (a share
// of the trials), judgements (of a run), memory (of scores, as a share of a complete run).
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/expect.hpp"
#include "server/search/terminators/hone/phase_rank.hpp"
#include "server/search/terminators/hone/rank_prior.hpp"
#include "server/search/terminators/hone/smoothed_curves.hpp"
#include "server/search/terminators/rule_helpers.hpp"

namespace hone {

TerminatorMaker make_agreement_rule;

namespace {

struct HoneSettings {
  std::optional<double> efficiency;  // nullopt: measured
  bool second_looks = true;
  bool shrink = true;
  bool ties = true;
  double judgements = 10;    // in a run: before a tenth of it, ranks are mostly luck
  double memory = 0.1;       // long enough to average noise, short enough to follow a collapse
  double hedge = 0;          // share of the trials that always train to their end
  bool decline = false;      // leaders are expected to lose what others lost after the same length
  bool use_time = false;     // limits.duration is a budget to be used up, not only a limit
  bool prior = false;        // what earlier sweeps showed about early ranks is used
  bool times_apart = false;  // a time is not averaged with what stands for "not reached"
  double forks = 0;          // share of the new trials that may continue another run, at most
};

constexpr int version_by_agreement = 5;  // the newest
constexpr double hedge_share = 0.03;     // since version 2
constexpr int looks_max = 3;             // runs of an incumbent, its own included

class HoneRule final : public Terminator {
 public:
  HoneRule(const HoneSettings& settings, const SweepShape& shape)
      : settings_(settings),
        shape_(shape),
        prior_(settings.prior ? shape.rank_prior : std::nullopt),
        grain_(std::max(1, static_cast<int>(std::lround(shape.phases / settings.judgements)))) {}

  Verdict judge(const History& history, std::size_t run, int phase, Score score) const override {
    if (history.runs()[run].replicate >= shape_.seeds)
      return {Action::go_on, VerdictReason::good_enough, {{"second_look", 1}}};
    if (hedged(history.runs()[run].trial))
      return {Action::go_on, VerdictReason::good_enough, {{"hedge", settings_.hedge}}};
    if ((phase + 1) % grain_ != 0)
      return {Action::go_on, VerdictReason::between_rungs, {{"judged_every", double(grain_)}}};
    const SmoothedCurves curves = curves_of(history, NewReport{run, score.merit(history.goal())});
    const Pace pace{efficiency_of(curves), trials_left(history)};
    const NextAction action = choose(curves, pace);
    const bool continues = action.kind == NextAction::Kind::promote && action.index == run;
    const PhaseRank rank = rank_of(curves, run, phase + 1, pace);
    Verdict verdict{continues ? Action::go_on : Action::pause,
                    continues ? VerdictReason::promoted : VerdictReason::awaits_promotion,
                    {{"place", rank.place},
                     {"rivals", rank.rivals},
                     {"quota", rank.quota},
                     {"efficiency", pace.efficiency},
                     {"tied", rank.tied ? 1.0 : 0.0},
                     {"ahead", !continues && rank.promotable() ? 1.0 : 0.0},
                     {"last_resort", continues && !rank.promotable() ? 1.0 : 0.0}}};
    if (prior_) verdict.inputs.push_back({"trust", trust(*prior_, phase + 1, shape_.phases)});
    return verdict;
  }

  NextAction next(const History& history, bool proposals_left) const override {
    const SmoothedCurves curves = curves_of(history);
    NextAction action = choose(curves, {efficiency_of(curves), proposals_left});
    if (action.kind == NextAction::Kind::propose && fork_is_due(history))
      action.donor = find_donor(curves, shape_, grain_, history.trials().size());
    return action;
  }

  std::optional<std::size_t> incumbent(const History& history) const override {
    const SmoothedCurves curves = curves_of(history);
    const auto leader = curves.leader(settings_.shrink ? doubt(efficiency_of(curves)) : 0,
                                      settings_.decline, prior_);
    if (!leader) return Terminator::incumbent(history);
    return leader->trial;
  }

  bool pauses() const override { return true; }
  bool takes_second_looks() const override { return settings_.second_looks; }

  Action recompute(const std::vector<VerdictInput>& inputs) const override {
    if (find_input(inputs, "second_look") || find_input(inputs, "hedge") ||
        find_input(inputs, "judged_every"))
      return Action::go_on;
    const bool promotable = input(inputs, "place") <= input(inputs, "quota") + 1e-9 ||
                            input(inputs, "tied") > 0 || input(inputs, "last_resort") > 0;
    return promotable && !(input(inputs, "ahead") > 0) ? Action::go_on : Action::pause;
  }

  std::string explain(const Verdict& verdict) const override {
    if (find_input(verdict.inputs, "second_look"))
      return "it is a second look at a leader, and trains to its end";
    if (const auto share = find_input(verdict.inputs, "hedge"))
      return "it belongs to the " + number_text(100 * *share) +
             " % of trials that train to their end whatever they report";
    if (const auto every = find_input(verdict.inputs, "judged_every"))
      return "this rule judges every " + number_text(*every) + " phases, but not this one";
    const double place = input(verdict.inputs, "place"), quota = input(verdict.inputs, "quota");
    const std::string ranked = "it ranked " + number_text(place) + " of the " +
                               number_text(input(verdict.inputs, "rivals")) +
                               " runs that reported this phase, of which the best " +
                               number_text(std::floor(quota)) + " may continue" +
                               because_of_prior(verdict);
    if (input(verdict.inputs, "last_resort") > 0)
      return "it continued: " + ranked + ", but there was time left and nothing better to do";
    if (verdict.action == Action::go_on)
      return "it continued: " + ranked + ", and nothing more promising was open";
    if (input(verdict.inputs, "ahead") > 0)
      return "it waits: " + ranked + ", but another run or a second look came first";
    return "it waits: " + ranked;
  }

  // At the efficiency of most curves. Once every trial is started, ranks are judged at half the
  // exponent, so that of all runs the share of that exponent is promoted in the end. Sweeps
  // with forks, which begin later, train about as much (tests/bench/plan_bench.py).
  double expected_phases() const override {
    const double efficiency = settings_.efficiency.value_or(usual_efficiency);
    double phases = 0, share = 1;
    for (int from = 0; from < shape_.phases; from += grain_) {
      const int to = std::min(from + grain_, shape_.phases);
      if (from > 0) share *= survival(from, {efficiency, false});
      phases += share * (to - from);
    }
    phases += settings_.hedge * (shape_.phases - phases);
    return std::min<double>(with_second_looks(phases, doubt(efficiency)), shape_.phases);
  }

 private:
  [[nodiscard]] SmoothedCurves curves_of(const History& history,
                                         std::optional<NewReport> report = std::nullopt) const {
    const bool times_apart = settings_.times_apart && history.goal() == Goal::soonest;
    return {history,       shape_.seeds, settings_.memory * shape_.phases,
            shape_.phases, report,       times_apart};
  }
  [[nodiscard]] double efficiency_of(const SmoothedCurves& curves) const {
    return settings_.efficiency ? *settings_.efficiency : curves.efficiency();
  }
  static double doubt(double efficiency) { return (1 - efficiency) * (1 - efficiency); }
  struct Pace {  // of the sweep as a whole: how hard ranks are judged
    double efficiency = 0;
    bool trials_left = true;
  };
  [[nodiscard]] double exponent(Pace pace, int phase) const {
    double power = 0.5 + 1.5 * pace.efficiency;
    if (prior_) power = std::min(power, 2 * trust(*prior_, phase, shape_.phases));
    return power * (pace.trials_left ? 1 : 0.5);
  }
  // Of the runs that are judged after so many reports, the share that continues.
  [[nodiscard]] double survival(int phase, Pace pace) const {
    const int next = std::min(phase + grain_, shape_.phases);
    return std::pow(static_cast<double>(phase) / next, exponent(pace, phase));
  }
  // Second looks take a share of all phases, `doubt`: whole runs, so that half a run is not used.
  [[nodiscard]] double with_second_looks(double phases, double doubt) const {
    if (!settings_.second_looks) return phases;
    const auto runs = static_cast<double>(shape_.runs());
    const double looks = phases * runs * doubt / (1 - doubt) - shape_.phases / 2.0;
    return phases + std::max(0.0, looks) / runs;
  }
  static std::string because_of_prior(const Verdict& verdict) {
    const auto trusted = find_input(verdict.inputs, "trust");
    if (!trusted) return "";
    return " (by earlier sweeps, trust in ranks at this phase is " + number_text(*trusted) +
           " of 1)";
  }

  // Trial 0 is the first hedged one. Those of earlier sweeps are counted too.
  [[nodiscard]] bool hedged(std::size_t trial) const { return is_turn(settings_.hedge, trial); }

  [[nodiscard]] bool trials_left(const History& history) const {
    return static_cast<std::int64_t>(history.trials().size() - history.foreign()) < shape_.trials;
  }

  [[nodiscard]] NextAction choose(const SmoothedCurves& curves, Pace pace) const {
    for (const SmoothedCurves::Curve& curve : curves.curves())
      if (curve.paused && curve.first && !curve.diverged && hedged(curve.trial))
        return {NextAction::Kind::promote, curve.run};
    if (const auto trial = second_look(curves, doubt(pace.efficiency)))
      return {NextAction::Kind::replicate, *trial};
    for (int phase = (shape_.phases - 1) / grain_ * grain_; phase >= 1; phase -= grain_) {
      const auto candidate = best_paused(curves, phase);
      if (candidate && rank_of(curves, *candidate, phase, pace).promotable())
        return {NextAction::Kind::promote, *candidate};
    }
    if (pace.trials_left) return {NextAction::Kind::propose, 0};
    if (settings_.use_time && shape_.timed)
      if (const auto last = best_paused(curves, 0)) return {NextAction::Kind::promote, *last};
    return {NextAction::Kind::wait, 0};
  }

  [[nodiscard]] std::optional<std::size_t> second_look(const SmoothedCurves& curves,
                                                       double doubt) const {
    if (!settings_.second_looks) return std::nullopt;
    if (curves.committed_to_second_looks() + shape_.phases > doubt * curves.reported())
      return std::nullopt;
    const auto leader = curves.leader(settings_.shrink ? doubt : 0, false, prior_);
    if (!leader || 2 * leader->length < shape_.phases || leader->runs >= looks_max)
      return std::nullopt;
    if (settings_.forks > 0 && is_forked(curves, leader->trial)) return std::nullopt;
    return leader->trial;
  }

  static bool is_forked(const SmoothedCurves& curves, std::size_t trial) {
    return std::ranges::any_of(curves.curves(), [&](const SmoothedCurves::Curve& curve) {
      return curve.trial == trial && curve.inherited > 0;
    });
  }

  // Whether the next trial may be a fork. One that is due too early does not come later: the first
  // trials are to be spread.
  [[nodiscard]] bool fork_is_due(const History& history) const {
    const std::size_t number = history.trials().size();
    return is_turn(settings_.forks, number) && !hedged(number);
  }

  [[nodiscard]] PhaseRank rank_of(const SmoothedCurves& curves, std::size_t run, int phase,
                                  Pace pace) const {
    PhaseRank rank = phase_rank(curves, run, phase, settings_.forks > 0);
    rank.quota = rank.rivals * survival(phase, pace);
    rank.tied = rank.tied && settings_.ties;
    return rank;
  }

  HoneSettings settings_;
  SweepShape shape_;
  std::optional<RankPrior> prior_;
  int grain_;  // phases from one judgement to the next
};

}  // namespace

Result<std::unique_ptr<Terminator>> make_hone_rule(const TerminatorSpec& spec,
                                                   const SweepShape& shape) {
  const auto version = count_setting(spec, "version", 1, {1, version_by_agreement});
  if (!version) return version.error();
  if (*version == version_by_agreement) return make_agreement_rule(spec, shape);
  static constexpr std::array<std::string_view, 12> known{
      "efficiency", "second_looks", "shrink",  "ties",  "judgements", "memory",
      "use_time",   "hedge",        "decline", "prior", "forks",      "version"};
  if (auto fits = only_settings(spec, known); !fits) return fits.error();
  HoneSettings settings;
  settings.second_looks = shape.second_looks;
  settings.decline = *version >= 2;
  settings.times_apart = *version >= 3;
  settings.prior = *version >= 4;
  settings.hedge = setting(spec, "hedge").value_or(*version >= 2 ? hedge_share : 0);
  if (!(settings.hedge >= 0 && settings.hedge <= 1))
    return refuse(Code::invalid, "hedge, a share of the trials, must lie in [0, 1]",
                  "/terminator/hedge");
  settings.forks = setting(spec, "forks").value_or(0);
  if (!(settings.forks >= 0 && settings.forks <= 1))
    return refuse(Code::invalid, "forks, a share of the trials, must lie in [0, 1]",
                  "/terminator/forks");
  settings.efficiency = setting(spec, "efficiency");
  if (settings.efficiency && !(*settings.efficiency >= 0 && *settings.efficiency <= 1))
    return refuse(Code::invalid, "efficiency must lie in [0, 1]", "/terminator/efficiency");
  settings.memory = setting(spec, "memory").value_or(settings.memory);
  if (!(settings.memory > 0 && settings.memory <= 10))
    return refuse(Code::invalid, "memory must be a share of a complete run, above 0 and at most 10",
                  "/terminator/memory");
  settings.judgements = setting(spec, "judgements").value_or(settings.judgements);
  if (!(settings.judgements >= 1 && settings.judgements <= 1e6))
    return refuse(Code::invalid, "judgements, how often a run is judged, must be 1 or more",
                  "/terminator/judgements");
  for (const auto& [name, part] :
       {std::pair{"second_looks", &settings.second_looks}, std::pair{"shrink", &settings.shrink},
        std::pair{"ties", &settings.ties}, std::pair{"use_time", &settings.use_time},
        std::pair{"decline", &settings.decline}, std::pair{"prior", &settings.prior}}) {
    const auto given = count_setting(spec, name, *part ? 1 : 0, {0, 1});
    if (!given) return given.error();
    *part = *given == 1;
  }
  return std::unique_ptr<Terminator>(std::make_unique<HoneRule>(settings, shape));
}

}  // namespace hone
