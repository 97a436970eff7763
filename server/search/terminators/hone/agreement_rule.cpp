// Version 5 of the rule `hone`: a free worker takes the highest open promotion, as in the versions
// before (hone.cpp), but how strictly runs are selected follows from how well ranks at one decision
// phase have foretold those at the next in this very sweep (docs/hone.md).
//
//   agreement   of ranks at a decision phase and at the next one: their correlation over all runs
//               that reached the later one, corrected for the selection between them, less two
//               standard errors (rank_chain.hpp)
//   reliance    u in [0, 1] on ranks at a decision phase to foretell those at the end: the product
//               of the agreements from there on. It is 0 at first: the first runs train to their
//               end
//   promotion   from the highest decision phase p down: of the n runs that reported p times, the
//               best paused one continues if its rank is at most n * (p / p')^a, where p' is the
//               next decision phase and a = 2 u (half of that once every trial is started); or if
//               it ties with the first, and so does the upper half
//   new trial   while trials are left; with `forks: s`, a share s of them continues another run
//   otherwise   wait; with use_time and limits.duration, the paused run of the largest score
//               continues
//
// The incumbent is the trial with the best place that is expected at the end: u times the normal
// score of its place among all runs started.
//
// Settings, to measure what each is worth: agreement (of ranks after p and 2 p reports, before any
// is measured), weight (of that, in runs), caution (standard errors that are taken off), strength
// (a / u); judgements, memory, prior, use_time and forks as before.
#include <algorithm>
#include <array>
#include <cmath>

#include "server/search/terminators/hone/phase_rank.hpp"
#include "server/search/terminators/hone/rank_chain.hpp"
#include "server/search/terminators/hone/smoothed_curves.hpp"
#include "server/search/terminators/rule_helpers.hpp"
#include "server/search/terminators/setting_rows.hpp"

namespace hone {

TerminatorMaker make_agreement_rule;

namespace {

struct AgreementSettings {
  AgreementPrior prior;
  double strength = 2;     // exponent of a phase whose ranks are relied on wholly
  double judgements = 10;  // in a run: before a tenth of it, ranks are mostly luck
  double memory = 0.1;     // of scores, as a share of a complete run
  bool use_time = false;   // limits.duration is a budget to be used up, not only a limit
  double forks = 0;        // share of the new trials that may continue another run, at most
};

constexpr double late_share = 0.5;  // of the exponent, once every trial is started

class AgreementRule final : public Terminator {
 public:
  AgreementRule(const AgreementSettings& settings, const SweepShape& shape)
      : settings_(settings),
        shape_(shape),
        grain_(std::max(1, static_cast<int>(std::lround(shape.phases / settings.judgements)))) {
    for (int phase = grain_; phase < shape.phases; phase += grain_) stages_.push_back(phase);
    stages_.push_back(shape.phases);
  }

  Verdict judge(const History& history, std::size_t run, int phase, Score score) const override {
    if ((phase + 1) % grain_ != 0)
      return {Action::go_on, VerdictReason::between_rungs, {{"judged_every", double(grain_)}}};
    const SmoothedCurves curves = curves_of(history, NewReport{run, score.merit(history.goal())});
    const RankChain chain = chain_of(curves);
    const bool left = trials_left(history);
    const NextAction action = choose(curves, chain, left);
    const bool continues = action.kind == NextAction::Kind::promote && action.index == run;
    const int stage = (phase + 1) / grain_ - 1;
    const PhaseRank rank = rank_of(curves, chain, run, {stage, left});
    const Agreement& step = chain.step(stage);
    Verdict verdict{continues ? Action::go_on : Action::pause,
                    continues ? VerdictReason::promoted : VerdictReason::awaits_promotion,
                    {{"place", rank.place},
                     {"rivals", rank.rivals},
                     {"quota", rank.quota},
                     {"agreement", step.measured},
                     {"error", step.error},
                     {"reliance", chain.reliance(stage)},
                     {"strength", exponent(chain.reliance(stage), left)},
                     {"tied", rank.tied ? 1.0 : 0.0},
                     {"ahead", !continues && rank.promotable() ? 1.0 : 0.0},
                     {"last_resort", continues && !rank.promotable() ? 1.0 : 0.0}}};
    if (const auto& earlier = settings_.prior.earlier)
      verdict.inputs.push_back({"earlier_runs", static_cast<double>(earlier->runs)});
    return verdict;
  }

  NextAction next(const History& history, bool proposals_left) const override {
    const SmoothedCurves curves = curves_of(history);
    NextAction action = choose(curves, chain_of(curves), proposals_left);
    if (action.kind == NextAction::Kind::propose &&
        is_turn(settings_.forks, history.trials().size()))
      action.donor = find_donor(curves, shape_, grain_, history.trials().size());
    return action;
  }

  // Ties go to the longer run, then to the better score, then to the lower number.
  std::optional<std::size_t> incumbent(const History& history) const override {
    const SmoothedCurves curves = curves_of(history);
    const RankChain chain = chain_of(curves);
    const SmoothedCurves::Curve* best = nullptr;
    const auto merit = [&](const SmoothedCurves::Curve& curve) {
      return std::array{chain.expected(curve.run), static_cast<double>(curve.length()),
                        curve.scores.back()};
    };
    for (const SmoothedCurves::Curve& curve : curves.curves())
      if (!curve.diverged && chain.place(curve.run).stage >= 0)
        if (best == nullptr || merit(curve) > merit(*best)) best = &curve;
    if (best == nullptr) return Terminator::incumbent(history);
    return best->trial;
  }

  bool pauses() const override { return true; }

  Action recompute(const std::vector<VerdictInput>& inputs) const override {
    if (find_input(inputs, "judged_every")) return Action::go_on;
    const bool promotable = input(inputs, "place") <= input(inputs, "quota") + 1e-9 ||
                            input(inputs, "tied") > 0 || input(inputs, "last_resort") > 0;
    return promotable && !(input(inputs, "ahead") > 0) ? Action::go_on : Action::pause;
  }

  std::string explain(const Verdict& verdict) const override {
    if (const auto every = find_input(verdict.inputs, "judged_every"))
      return "this rule judges every " + number_text(*every) + " phases, but not this one";
    const auto text = [&](const char* name) {
      return short_number_text(input(verdict.inputs, name));
    };
    const auto earlier = find_input(verdict.inputs, "earlier_runs");
    const std::string ranked =
        "it ranked " + text("place") + " of the " + text("rivals") +
        " runs that reported this phase, of which the best " +
        number_text(std::floor(input(verdict.inputs, "quota"))) + " may continue (" +
        (earlier ? "with " + counted(*earlier, "run") + " of earlier sweeps, " : "") +
        "ranks here agree with those at the next judged phase by " + text("agreement") + " ± " +
        text("error") + " and with those at the end by at least " + text("reliance") +
        ", which selects with strength " + text("strength") + ")";
    if (input(verdict.inputs, "last_resort") > 0)
      return "it continued: " + ranked + ", but there was time left and nothing better to do";
    if (verdict.action == Action::go_on)
      return "it continued: " + ranked + ", and nothing more promising was open";
    if (input(verdict.inputs, "ahead") > 0)
      return "it waits: " + ranked + ", but another run came first";
    return "it waits: " + ranked;
  }

  // Assumes that the runs which reach each phase show what is believed before. More runs reach a
  // phase where they have shown less, so the two are found together.
  double expected_phases() const override {
    constexpr int rounds = 20;
    std::vector<double> reach(stages_.size(), 1);  // share of the runs
    for (int round = 0; round < rounds; ++round) {
      const std::vector<double> reliance = reliance_of(expected_steps(reach));
      for (std::size_t at = 0; at + 1 < stages_.size(); ++at) {
        const double next = reach[at] * survival({static_cast<int>(at), false}, reliance[at]);
        reach[at + 1] = (reach[at + 1] + next) / 2;
      }
    }
    double phases = 0;
    int before = 0;
    for (std::size_t at = 0; at < stages_.size(); ++at)
      phases += reach[at] * (stages_[at] - before), before = stages_[at];
    return phases;
  }

 private:
  [[nodiscard]] SmoothedCurves curves_of(const History& history,
                                         std::optional<NewReport> report = std::nullopt) const {
    return {history,       shape_.seeds, settings_.memory * shape_.phases,
            shape_.phases, report,       history.goal() == Goal::soonest};
  }
  [[nodiscard]] RankChain chain_of(const SmoothedCurves& curves) const {
    return {curves, stages_, settings_.prior};
  }
  [[nodiscard]] bool trials_left(const History& history) const {
    return static_cast<std::int64_t>(history.trials().size() - history.foreign()) < shape_.trials;
  }

  struct Point {
    int stage = 0;  // index of a decision phase
    bool trials_left = true;
  };
  [[nodiscard]] double exponent(double reliance, bool trials_left) const {
    return settings_.strength * reliance * (trials_left ? 1 : late_share);
  }
  // Returns the share of the runs judged there that continues.
  [[nodiscard]] double survival(Point point, double reliance) const {
    const auto stage = static_cast<std::size_t>(point.stage);
    return std::pow(static_cast<double>(stages_[stage]) / stages_[stage + 1],
                    exponent(reliance, point.trials_left));
  }
  [[nodiscard]] PhaseRank rank_of(const SmoothedCurves& curves, const RankChain& chain,
                                  std::size_t run, Point point) const {
    const int phase = stages_[static_cast<std::size_t>(point.stage)];
    PhaseRank rank = phase_rank(curves, run, phase, settings_.forks > 0);
    rank.quota = rank.rivals * survival(point, chain.reliance(point.stage));
    return rank;
  }
  [[nodiscard]] std::vector<Agreement> expected_steps(const std::vector<double>& reach) const {
    const auto runs = static_cast<double>(shape_.runs());
    std::vector<Agreement> steps;
    for (std::size_t at = 0; at + 1 < stages_.size(); ++at) {
      const Evidence believed =
          believed_agreement(settings_.prior, stages_[at], stages_[at + 1], shape_.phases);
      const double shown = std::max(0.0, runs * reach[at + 1] / 2 - 1);  // midway
      steps.push_back(agreement_of({believed.seen, shown}, believed, settings_.prior.caution));
    }
    return steps;
  }

  [[nodiscard]] NextAction choose(const SmoothedCurves& curves, const RankChain& chain,
                                  bool trials_left) const {
    for (int stage = static_cast<int>(stages_.size()) - 2; stage >= 0; --stage) {
      const auto candidate = best_paused(curves, stages_[static_cast<std::size_t>(stage)]);
      if (candidate && rank_of(curves, chain, *candidate, {stage, trials_left}).promotable())
        return {NextAction::Kind::promote, *candidate};
    }
    if (trials_left) return {NextAction::Kind::propose, 0};
    if (settings_.use_time && shape_.timed)
      if (const auto last = best_paused(curves, 0)) return {NextAction::Kind::promote, *last};
    return {NextAction::Kind::wait, 0};
  }

  AgreementSettings settings_;
  SweepShape shape_;
  int grain_;                // phases from one judgement to the next
  std::vector<int> stages_;  // the decision phases, then the end of a run
};

// Reads a setting within the bounds of its row.
Status read_number(const TerminatorSpec& spec, std::string_view name, double& value) {
  const auto row = std::ranges::find(rule_settings::hone_rule, name, &MethodSetting::name);
  value = setting(spec, name).value_or(value);
  if (value <= row->high && (row->open_low ? value > row->low : value >= row->low)) return Done{};
  return refuse(Code::invalid,
                std::string(name) + " must lie in " + (row->open_low ? "(" : "[") +
                    number_text(row->low) + ", " + number_text(row->high) + "]",
                "/terminator/" + std::string(name));
}

}  // namespace

Result<std::unique_ptr<Terminator>> make_agreement_rule(const TerminatorSpec& spec,
                                                        const SweepShape& shape) {
  static constexpr std::array<std::string_view, 10> known{
      "agreement", "weight", "caution",  "strength", "judgements",
      "memory",    "prior",  "use_time", "forks",    "version"};
  if (auto fits = only_settings(spec, known); !fits) return fits.error();
  AgreementSettings settings;
  for (const auto& [name, value] : {std::pair{"agreement", &settings.prior.doubling},
                                    {"weight", &settings.prior.weight},
                                    {"caution", &settings.prior.caution},
                                    {"strength", &settings.strength},
                                    {"judgements", &settings.judgements},
                                    {"memory", &settings.memory},
                                    {"forks", &settings.forks}})
    if (auto fits = read_number(spec, name, *value); !fits) return fits.error();
  const auto use_time = count_setting(spec, "use_time", 0, {0, 1});
  if (!use_time) return use_time.error();
  settings.use_time = *use_time == 1;
  const auto prior = count_setting(spec, "prior", 1, {0, 1});
  if (!prior) return prior.error();
  if (*prior == 1) settings.prior.earlier = shape.rank_prior;
  return std::unique_ptr<Terminator>(std::make_unique<AgreementRule>(settings, shape));
}

}  // namespace hone
