// The rule of a population (Jaderberg et al., arXiv 1711.09846, section 3), asynchronous: a member
// is judged when it reaches a ready point, against the latest report of every other.
//
//   truncation  of n members with a report, the k = min(ceil(q n), floor(n / 2)) poorest: one of
//               the k best, drawn at random, is followed
//   t_test      a member drawn at random, if the mean of its newest `window` reports is larger with
//               p < 0.05 (Welch)
//
// A member that follows another ends, and a fork of that one takes its place. As the fork continues
// the step count of the checkpoint, only a better member with phases left is followed, and the
// schedule along the forks is as long as one run. Where there are fewer slots than members, those
// that are behind train first: a member pauses at a ready point until they have caught up.
#include <algorithm>
#include <cmath>

#include "server/search/statistics/tests.hpp"
#include "server/search/terminators/rule_helpers.hpp"

namespace hone {
namespace {

constexpr double level = 0.05;

// Whether a run is of the population now: it did not fail, and no fork took its place.
bool is_member(const RunRecord& run) {
  return run.state != RunRecord::State::ended || run.completed;
}

class Pbt final : public Terminator {
 public:
  explicit Pbt(const SweepShape& shape) : shape_(shape), own_(shape.population) {}

  Verdict judge(const History& history, std::size_t run, int phase, Score score) const override {
    if ((phase + 1) % own_.ready != 0)
      return {Action::go_on,
              VerdictReason::between_rungs,
              {{"ready", static_cast<double>(own_.ready)}}};
    std::vector<VerdictInput> inputs{{"forks_left", forks_left(history)}};
    const double merit = score.merit(history.goal());
    if (own_.exploit == Exploit::truncation)
      compare_ranks(history, run, phase, merit, inputs);
    else
      compare_means(history, run, phase, merit, inputs);
    inputs.push_back({"behind", behind(history, run, phase + 1)});
    const Action action = recompute(inputs);
    const VerdictReason reason = action == Action::stop    ? VerdictReason::replaced
                                 : action == Action::pause ? VerdictReason::awaits_turn
                                                           : VerdictReason::good_enough;
    return {action, reason, std::move(inputs)};
  }

  NextAction next(const History& history, bool proposals_left) const override {
    if (proposals_left) return {NextAction::Kind::propose, 0};
    const auto runs = history.runs();
    std::optional<std::size_t> first;
    for (std::size_t i = 0; i < runs.size(); ++i)
      if (runs[i].state == RunRecord::State::paused &&
          (!first || runs[i].merits.size() < runs[*first].merits.size()))
        first = i;
    if (first) return {NextAction::Kind::promote, *first};
    return {NextAction::Kind::wait, 0};
  }

  bool pauses() const override { return true; }

  std::optional<std::size_t> donor(const History& history, std::size_t run, int phase,
                                   const Verdict& verdict) const override {
    if (verdict.reason == VerdictReason::replaced) {
      const auto chosen = find_input(verdict.inputs, "donor");
      return chosen ? std::optional(static_cast<std::size_t>(*chosen)) : std::nullopt;
    }
    if (verdict.reason != VerdictReason::diverged || forks_left(history) <= 0) return std::nullopt;
    const auto ranks = ranked(history, run);
    const auto best = continued(history, ranks, cutoff(ranks.size() + 1),
                                -std::numeric_limits<double>::infinity());
    if (best.empty()) return std::nullopt;
    return best[draw(run, phase).below(best.size())];
  }

  Action recompute(const std::vector<VerdictInput>& inputs) const override {
    if (find_input(inputs, "ready")) return Action::go_on;
    const bool follows =
        input(inputs, "forks_left") > 0 && find_input(inputs, "donor") &&
        (own_.exploit == Exploit::truncation ? input(inputs, "worse") < input(inputs, "cutoff")
                                             : input(inputs, "p") < level);
    if (follows) return Action::stop;
    return input(inputs, "behind") > 0 ? Action::pause : Action::go_on;
  }

  std::string explain(const Verdict& verdict) const override {
    if (find_input(verdict.inputs, "ready"))
      return "The population compares its members every " +
             counted(input(verdict.inputs, "ready"), "phase") + ", and not here";
    std::string text = own_.exploit == Exploit::truncation ? by_rank(verdict) : by_mean(verdict);
    if (verdict.action == Action::pause)
      text += "; it was paused, because " + counted(input(verdict.inputs, "behind"), "member") +
              " had trained for fewer phases";
    return text;
  }

  double expected_phases() const override { return shape_.phases; }

 private:
  [[nodiscard]] Rng draw(std::size_t run, int phase) const {
    return {shape_.seed, Purpose::exploit,
            (static_cast<std::uint64_t>(run) << 20) + static_cast<std::uint64_t>(phase)};
  }

  // No more forks than there are ready points of all members: then a population that keeps
  // following members behind it ends too.
  [[nodiscard]] double forks_left(const History& history) const {
    const auto points = (shape_.phases + own_.ready - 1) / own_.ready;
    double left = static_cast<double>(shape_.trials) * points;
    for (const TrialRecord& trial : history.trials()) left -= trial.forked ? 1 : 0;
    return left;
  }

  // How many members train before this one may: paused ones with fewer reports, and those to come.
  [[nodiscard]] double behind(const History& history, std::size_t run, int reports) const {
    double count = static_cast<double>(shape_.trials);
    for (const TrialRecord& trial : history.trials())
      count -= trial.forked || trial.foreign ? 0 : 1;
    count = std::max(count, 0.0);
    for (std::size_t i = 0; i < history.runs().size(); ++i) {
      const RunRecord& other = history.runs()[i];
      if (i != run && other.state == RunRecord::State::paused &&
          std::cmp_less(other.merits.size(), reports))
        ++count;
    }
    return count;
  }

  [[nodiscard]] std::size_t cutoff(std::size_t members) const {
    const auto share = static_cast<double>(members) * own_.quantile;
    return std::min(static_cast<std::size_t>(std::ceil(share - 1e-12)), members / 2);
  }

  // The other members with a report, best first; ties go to the one that began first.
  [[nodiscard]] static std::vector<std::size_t> ranked(const History& history, std::size_t run) {
    const auto runs = history.runs();
    std::vector<std::size_t> members;
    for (std::size_t i = 0; i < runs.size(); ++i)
      if (i != run && is_member(runs[i]) && !runs[i].merits.empty()) members.push_back(i);
    std::ranges::stable_sort(members, [&](std::size_t a, std::size_t b) {
      return runs[a].merits.back() > runs[b].merits.back();
    });
    return members;
  }

  // Those of the first `count` that are better than `merit` and have phases left.
  [[nodiscard]] std::vector<std::size_t> continued(const History& history,
                                                   const std::vector<std::size_t>& members,
                                                   std::size_t count, double merit) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < std::min(count, members.size()); ++i) {
      const auto& merits = history.runs()[members[i]].merits;
      if (merits.back() > merit && std::cmp_less(merits.size(), shape_.phases))
        found.push_back(members[i]);
    }
    return found;
  }

  void add_donor(const History& history, std::size_t donor,
                 std::vector<VerdictInput>& inputs) const {
    const auto& merits = history.runs()[donor].merits;
    inputs.push_back({"donor", static_cast<double>(donor)});
    inputs.push_back({"donor_reports", static_cast<double>(merits.size())});
    inputs.push_back({"donor_value", value_of(merits.back(), history.goal())});
  }

  void compare_ranks(const History& history, std::size_t run, int phase, double merit,
                     std::vector<VerdictInput>& inputs) const {
    const auto members = ranked(history, run);
    const auto worse = std::ranges::count_if(
        members, [&](std::size_t i) { return history.runs()[i].merits.back() < merit; });
    const std::size_t few = cutoff(members.size() + 1);
    inputs.push_back({"members", static_cast<double>(members.size() + 1)});
    inputs.push_back({"worse", static_cast<double>(worse)});
    inputs.push_back({"cutoff", static_cast<double>(few)});
    const auto best = continued(history, members, few, merit);
    if (!best.empty() && std::cmp_less(worse, few))
      add_donor(history, best[draw(run, phase).below(best.size())], inputs);
  }

  [[nodiscard]] std::vector<double> newest(const std::vector<double>& merits) const {
    const auto count = std::min(merits.size(), static_cast<std::size_t>(own_.window));
    return {merits.end() - static_cast<std::ptrdiff_t>(count), merits.end()};
  }

  void compare_means(const History& history, std::size_t run, int phase, double merit,
                     std::vector<VerdictInput>& inputs) const {
    std::vector<double> merits = history.runs()[run].merits;
    merits.push_back(merit);
    merits = newest(merits);
    std::vector<std::size_t> others;
    for (const std::size_t i : ranked(history, run)) {
      const auto values = newest(history.runs()[i].merits);
      if (values.size() >= 2 &&
          std::ranges::all_of(values, [](double v) { return std::isfinite(v); }) &&
          std::cmp_less(history.runs()[i].merits.size(), shape_.phases))
        others.push_back(i);
    }
    inputs.push_back({"members", static_cast<double>(others.size() + 1)});
    if (others.empty() || merits.size() < 2) return;
    std::ranges::sort(others);
    const std::size_t other = others[draw(run, phase).below(others.size())];
    add_donor(history, other, inputs);
    inputs.push_back({"p", welch(merits, newest(history.runs()[other].merits)).p_worse});
  }

  [[nodiscard]] static std::string donor_text(const Verdict& verdict) {
    return "set " + number_text(input(verdict.inputs, "donor") + 1) + ", which had reached " +
           number_text(input(verdict.inputs, "donor_value")) + " after " +
           counted(input(verdict.inputs, "donor_reports"), "phase");
  }

  [[nodiscard]] static std::string used_up(const Verdict& verdict) {
    return input(verdict.inputs, "forks_left") > 0 ? "" : "; the population has used up its forks";
  }

  [[nodiscard]] static std::string by_rank(const Verdict& verdict) {
    std::string text = number_text(input(verdict.inputs, "worse")) + " of the " +
                       counted(input(verdict.inputs, "members"), "member") +
                       " of its population were worse, and those with fewer than " +
                       number_text(input(verdict.inputs, "cutoff")) + " follow a better one";
    if (verdict.action == Action::stop) return text + ": it follows " + donor_text(verdict);
    return text + used_up(verdict);
  }

  [[nodiscard]] static std::string by_mean(const Verdict& verdict) {
    if (!find_input(verdict.inputs, "p"))
      return "No member of its population had the two reports yet that the t-test needs";
    std::string text = "It was compared with " + donor_text(verdict) +
                       ": the probability that such means differ by chance (Welch) is " +
                       number_text(input(verdict.inputs, "p")) + ", and below " +
                       number_text(level) + " it follows";
    if (verdict.action == Action::stop) return text;
    return text + used_up(verdict);
  }

  SweepShape shape_;
  Population own_;
};

}  // namespace

Result<std::unique_ptr<Terminator>> make_pbt_rule(const TerminatorSpec& spec,
                                                  const SweepShape& shape) {
  if (auto fits = only_settings(spec, {}); !fits) return fits.error();
  return std::unique_ptr<Terminator>(std::make_unique<Pbt>(shape));
}

}  // namespace hone
