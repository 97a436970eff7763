// hone's own rule: a free worker always takes the highest open promotion (docs/hone.md has the
// reasons and the ablation). With P phases, p reports of a run, and its score the exponentially
// weighted mean of them (field.hpp):
//
//   efficiency   e in [0, 1]: how smoothly the best runs climb
//   second look  while runs beyond the sweep's own have used less than (1 - e) / 2 of all phases:
//                one more seed of the leader, if it trained for half a run and has fewer than three
//   promotion    from p = P - 1 down to 1: of the n runs that reported p times or diverged before,
//                the best paused one goes on if its place is at most n * (p / (p + 1))^a,
//                a = 1/2 + 3/2 e, or if it ties with the first and so does the first half
//   new trial    while trials are left
//   the rest     with limits.duration, the paused run of the largest score, so that no worker
//   idles;
//                without, nothing: what could not be promoted is closed and the sweep ends
//
// A report's verdict is continue if a worker that were free now would take this very run, else
// pause.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "schemas/types/expect.hpp"
#include "server/search/terminators/field.hpp"
#include "server/search/terminators/rows.hpp"

namespace hone {
namespace {

constexpr int looks_max = 3;  // runs of a leader, its own included

// Where the best paused run with p reports stands among its rivals.
struct Place {
  std::size_t run = 0;
  int phase = 0;     // p
  double place = 0;  // from 1
  double rivals = 0;
  double quota = 0;
  bool tied = false;  // with the first, as the first half of all
  [[nodiscard]] bool promotable() const { return place <= quota || tied; }
};

class HoneRule final : public Terminator {
 public:
  explicit HoneRule(const Plan& plan) : plan_(plan) {}

  Verdict judge(const History& history, std::size_t run, int phase, Score score) const override {
    if (history.runs()[run].replicate >= plan_.seeds)
      return {Action::go_on, VerdictReason::good_enough, {{"second_look", 1}}};
    const Field field(history, plan_.seeds, plan_.phases,
                      NewReport{run, score.merit(history.goal())});
    const double efficiency = field.efficiency();
    const Move move = choose(field, efficiency, trials_left(history));
    const bool goes_on = move.kind == Move::Kind::promote && move.index == run;
    const auto place = place_of(field, run, phase + 1, efficiency);
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
    const Field field(history, plan_.seeds, plan_.phases);
    return choose(field, field.efficiency(), proposals_left);
  }

  std::optional<std::size_t> incumbent(const History& history) const override {
    const auto leader = Field(history, plan_.seeds, plan_.phases).leader();
    if (!leader) return std::nullopt;
    return leader->trial;
  }

  Action recompute(const std::vector<VerdictInput>& inputs) const override {
    if (find_input(inputs, "second_look")) return Action::go_on;
    const bool promotable = input(inputs, "place") <= input(inputs, "quota") ||
                            input(inputs, "tied") > 0 || input(inputs, "last_resort") > 0;
    return promotable && !(input(inputs, "ahead") > 0) ? Action::go_on : Action::pause;
  }

  std::string explain(const Verdict& verdict) const override {
    if (find_input(verdict.inputs, "second_look"))
      return "it is a second look at a leader, which trains to its end";
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
    for (int p = 1; p <= plan_.phases; ++p) phases += std::pow(p, -exponent(0.6));
    return phases;
  }

 private:
  static double exponent(double efficiency) { return 0.5 + 1.5 * efficiency; }

  [[nodiscard]] bool trials_left(const History& history) const {
    return static_cast<std::int64_t>(history.trials().size() - history.foreign()) < plan_.trials;
  }

  [[nodiscard]] Move choose(const Field& field, double efficiency, bool proposals_left) const {
    if (const auto trial = second_look(field, efficiency)) return {Move::Kind::replicate, *trial};
    for (int phase = plan_.phases - 1; phase >= 1; --phase) {
      const auto candidate = best_paused(field, phase);
      if (!candidate) continue;
      if (place_of(field, *candidate, phase, efficiency).promotable())
        return {Move::Kind::promote, *candidate};
    }
    if (proposals_left) return {Move::Kind::propose, 0};
    if (plan_.timed)
      if (const auto last = best_paused(field, 0)) return {Move::Kind::promote, *last};
    return {Move::Kind::wait, 0};
  }

  [[nodiscard]] std::optional<std::size_t> second_look(const Field& field,
                                                       double efficiency) const {
    const double share = (1 - efficiency) / 2;
    if (field.committed_to_second_looks() + plan_.phases > share * field.reported())
      return std::nullopt;
    const auto leader = field.leader();
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

  [[nodiscard]] Place place_of(const Field& field, std::size_t run, int phase,
                               double efficiency) const {
    const auto index = static_cast<std::size_t>(phase - 1);
    const double own = field.runners()[run].scores[index];
    Place place{run, phase, 1, 0, 0, false};
    double first = -std::numeric_limits<double>::infinity();
    double finite = 0, at_first = 0;
    for (const Field::Runner& runner : field.runners()) {
      const bool there = runner.length() >= phase;
      if (!runner.first || !(there || runner.diverged)) continue;
      ++place.rivals;
      if (!there) continue;
      const double score = runner.scores[index];
      ++finite;
      if (score > first) first = score, at_first = 0;
      at_first += score == first ? 1 : 0;
      if (score > own || (score == own && runner.run < run)) ++place.place;
    }
    place.quota =
        place.rivals * std::pow(static_cast<double>(phase) / (phase + 1), exponent(efficiency));
    place.tied = own == first && finite >= 2 && at_first > std::floor(finite / 2);
    return place;
  }

  Plan plan_;
};

}  // namespace

Result<std::unique_ptr<Terminator>> make_hone_rule(const TerminatorSpec& spec, const Plan& plan) {
  if (auto fits = only_settings(spec, {}); !fits) return fits.error();
  return std::unique_ptr<Terminator>(std::make_unique<HoneRule>(plan));
}

}  // namespace hone
