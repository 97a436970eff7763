// hone's own rule: a free worker always takes the highest open promotion (docs/hone.md has the
// reasons and the ablation). With P phases, and a run's score after p reports the exponentially
// weighted mean of them (field.hpp), one measured number steers everything:
//
//   efficiency   e in [0, 1]: how smoothly the best runs climb; doubt d = (1 - e)^2
//   second look  while runs beyond the sweep's own took less than d of all phases: one more seed of
//                the incumbent, if it trained for half a run and has fewer than three
//   promotion    from the highest phase p down: of the n runs that reported p times, a paused one
//                goes on if its place is at most n * (p / p')^a, where p' is the next phase that is
//                judged and a = 1/2 + 3/2 e (half of that once every trial is started); or if it
//                ties with the first, and so does the upper half
//   new trial    while trials are left
//   the rest     nothing: when nobody trains any more, what could not be promoted is closed and
//                the sweep ends. With use_time and limits.duration, the paused run of the largest
//                score goes on
//
// A report's verdict is continue if a worker that were free now would take this very run, else
// pause. Of many phases only every (P / 10)th is judged.
//
// Settings switch parts off, to see what each is worth: efficiency (a fixed e), second_looks,
// shrink (of the incumbent, by doubt), ties and use_time (0 or 1), judgements (of a run), memory
// (of scores, as a share of a complete run).
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/expect.hpp"
#include "server/search/terminators/hone/field.hpp"
#include "server/search/terminators/rows.hpp"

namespace hone {
namespace {

struct HoneSettings {
  std::optional<double> efficiency;  // measured where it is not fixed
  bool second_looks = true;
  bool shrink = true;
  bool ties = true;
  double judgements = 10;  // a run: earlier than after a tenth of it ranks are mostly luck
  double memory = 0.1;     // long enough to average noise, short enough to follow a collapse
  bool use_time = false;   // limits.duration is a budget to be used up, not only a limit
};

constexpr int looks_max = 3;  // runs of an incumbent, its own included

// Where a run stands among those that came as far.
struct Place {
  double place = 1;  // from 1
  double rivals = 0;
  double quota = 0;
  bool tied = false;  // with the first, as the first half of all
  // The hair keeps 12 * (1 / 2) at 6.
  [[nodiscard]] bool promotable() const { return place <= quota + 1e-9 || tied; }
};

class HoneRule final : public Terminator {
 public:
  HoneRule(const HoneSettings& settings, const Plan& plan)
      : settings_(settings),
        plan_(plan),
        grain_(std::max(1, static_cast<int>(std::lround(plan.phases / settings.judgements)))) {}

  Verdict judge(const History& history, std::size_t run, int phase, Score score) const override {
    if (history.runs()[run].replicate >= plan_.seeds)
      return {Action::go_on, VerdictReason::good_enough, {{"second_look", 1}}};
    if ((phase + 1) % grain_ != 0)
      return {Action::go_on, VerdictReason::between_rungs, {{"judged_every", double(grain_)}}};
    const Field field = field_of(history, NewReport{run, score.merit(history.goal())});
    const double efficiency = efficiency_of(field);
    const bool left = trials_left(history);
    const Move move = choose(field, efficiency, left);
    const bool goes_on = move.kind == Move::Kind::promote && move.index == run;
    const Place place = place_of(field, run, phase + 1, exponent(efficiency, left));
    return {goes_on ? Action::go_on : Action::pause,
            goes_on ? VerdictReason::promoted : VerdictReason::awaits_promotion,
            {{"place", place.place},
             {"rivals", place.rivals},
             {"quota", place.quota},
             {"efficiency", efficiency},
             {"tied", place.tied ? 1.0 : 0.0},
             {"ahead", !goes_on && place.promotable() ? 1.0 : 0.0},
             {"last_resort", goes_on && !place.promotable() ? 1.0 : 0.0}}};
  }

  Move next(const History& history, bool proposals_left) const override {
    const Field field = field_of(history);
    return choose(field, efficiency_of(field), proposals_left);
  }

  std::optional<std::size_t> incumbent(const History& history) const override {
    const Field field = field_of(history);
    const auto leader = field.leader(settings_.shrink ? doubt(efficiency_of(field)) : 0);
    if (!leader) return Terminator::incumbent(history);
    return leader->trial;
  }

  bool pauses() const override { return true; }

  Action recompute(const std::vector<VerdictInput>& inputs) const override {
    if (find_input(inputs, "second_look") || find_input(inputs, "judged_every"))
      return Action::go_on;
    const bool promotable = input(inputs, "place") <= input(inputs, "quota") + 1e-9 ||
                            input(inputs, "tied") > 0 || input(inputs, "last_resort") > 0;
    return promotable && !(input(inputs, "ahead") > 0) ? Action::go_on : Action::pause;
  }

  std::string explain(const Verdict& verdict) const override {
    if (find_input(verdict.inputs, "second_look"))
      return "it is a second look at a leader, which trains to its end";
    if (const auto every = find_input(verdict.inputs, "judged_every"))
      return "this rule judges every " + number_text(*every) + " phases, and not at this one";
    const double place = input(verdict.inputs, "place"), quota = input(verdict.inputs, "quota");
    const std::string standing = "it stood at place " + number_text(place) + " of the " +
                                 number_text(input(verdict.inputs, "rivals")) +
                                 " runs that came as far, of which the best " +
                                 number_text(std::floor(quota)) + " may go on";
    if (input(verdict.inputs, "last_resort") > 0)
      return "it went on: " + standing + ", but there was time left and nothing better to do";
    if (verdict.action == Action::go_on)
      return "it went on: " + standing + ", and nothing more promising was open";
    if (input(verdict.inputs, "ahead") > 0)
      return "it waits: " + standing + ", but another run or a second look came first";
    return "it waits: " + standing;
  }

  // Of n runs, n * p^-a train for a phase after p: the sum, at the efficiency of most curves.
  double expected_phases() const override {
    double phases = 0;
    for (int p = 1; p <= plan_.phases; ++p) phases += std::pow(p, -exponent(0.6, true));
    return phases;
  }

 private:
  [[nodiscard]] Field field_of(const History& history,
                               std::optional<NewReport> report = std::nullopt) const {
    return {history, plan_.seeds, settings_.memory * plan_.phases, plan_.phases, report};
  }
  [[nodiscard]] double efficiency_of(const Field& field) const {
    return settings_.efficiency ? *settings_.efficiency : field.efficiency();
  }
  static double doubt(double efficiency) { return (1 - efficiency) * (1 - efficiency); }
  static double exponent(double efficiency, bool trials_left) {
    return (0.5 + 1.5 * efficiency) * (trials_left ? 1 : 0.5);
  }

  [[nodiscard]] bool trials_left(const History& history) const {
    return static_cast<std::int64_t>(history.trials().size() - history.foreign()) < plan_.trials;
  }

  [[nodiscard]] Move choose(const Field& field, double efficiency, bool trials_left) const {
    if (const auto trial = second_look(field, doubt(efficiency)))
      return {Move::Kind::replicate, *trial};
    const double power = exponent(efficiency, trials_left);
    for (int phase = (plan_.phases - 1) / grain_ * grain_; phase >= 1; phase -= grain_) {
      const auto candidate = best_paused(field, phase);
      if (candidate && place_of(field, *candidate, phase, power).promotable())
        return {Move::Kind::promote, *candidate};
    }
    if (trials_left) return {Move::Kind::propose, 0};
    if (settings_.use_time && plan_.timed)
      if (const auto last = best_paused(field, 0)) return {Move::Kind::promote, *last};
    return {Move::Kind::wait, 0};
  }

  [[nodiscard]] std::optional<std::size_t> second_look(const Field& field, double doubt) const {
    if (!settings_.second_looks) return std::nullopt;
    if (field.committed_to_second_looks() + plan_.phases > doubt * field.reported())
      return std::nullopt;
    const auto leader = field.leader(settings_.shrink ? doubt : 0);
    if (!leader || 2 * leader->length < plan_.phases || leader->runs >= looks_max)
      return std::nullopt;
    return leader->trial;
  }

  // The best paused run with exactly so many reports; 0: with any.
  static std::optional<std::size_t> best_paused(const Field& field, int reports) {
    const Field::Runner* best = nullptr;
    for (const Field::Runner& runner : field.runners()) {
      const bool fits = runner.paused && !runner.diverged && runner.length() > 0 &&
                        (reports == 0 || runner.length() == reports);
      if (fits && (best == nullptr || runner.scores.back() > best->scores.back())) best = &runner;
    }
    if (best == nullptr) return std::nullopt;
    return best->run;
  }

  [[nodiscard]] Place place_of(const Field& field, std::size_t run, int phase, double power) const {
    const auto index = static_cast<std::size_t>(phase - 1);
    const double own = field.runners()[run].scores[index];
    Place place;
    double first = -std::numeric_limits<double>::infinity();
    double finite = 0, at_first = 0;
    for (const Field::Runner& runner : field.runners()) {
      if (!runner.first || runner.reports < phase) continue;
      ++place.rivals;
      if (runner.length() < phase) continue;  // its last report diverged: behind all others
      const double score = runner.scores[index];
      ++finite;
      if (score > first) first = score, at_first = 0;
      at_first += score == first ? 1 : 0;
      if (score > own || (score == own && runner.run < run)) ++place.place;
    }
    const int next = std::min(phase + grain_, plan_.phases);
    place.quota = place.rivals * std::pow(static_cast<double>(phase) / next, power);
    place.tied = settings_.ties && own == first && finite >= 2 && at_first > std::floor(finite / 2);
    return place;
  }

  HoneSettings settings_;
  Plan plan_;
  int grain_;  // phases from one judgement to the next
};

}  // namespace

Result<std::unique_ptr<Terminator>> make_hone_rule(const TerminatorSpec& spec, const Plan& plan) {
  static constexpr std::array<std::string_view, 7> known{
      "efficiency", "second_looks", "shrink", "ties", "judgements", "memory", "use_time"};
  if (auto fits = only_settings(spec, known); !fits) return fits.error();
  HoneSettings settings;
  settings.efficiency = setting(spec, "efficiency");
  if (settings.efficiency && !(*settings.efficiency >= 0 && *settings.efficiency <= 1))
    return refuse(Code::invalid, "efficiency lies in [0, 1]", "/terminator/efficiency");
  settings.memory = setting(spec, "memory").value_or(settings.memory);
  if (!(settings.memory > 0 && settings.memory <= 10))
    return refuse(Code::invalid, "memory is a share of a complete run, above 0 and at most 10",
                  "/terminator/memory");
  settings.judgements = setting(spec, "judgements").value_or(settings.judgements);
  if (!(settings.judgements >= 1 && settings.judgements <= 1e6))
    return refuse(Code::invalid, "judgements is how often a run is judged: 1 or more",
                  "/terminator/judgements");
  for (const auto& [name, part] :
       {std::pair{"second_looks", &settings.second_looks}, std::pair{"shrink", &settings.shrink},
        std::pair{"ties", &settings.ties}, std::pair{"use_time", &settings.use_time}}) {
    const auto wished = count_setting(spec, name, *part ? 1 : 0, {0, 1});
    if (!wished) return wished.error();
    *part = *wished == 1;
  }
  return std::unique_ptr<Terminator>(std::make_unique<HoneRule>(settings, plan));
}

}  // namespace hone
