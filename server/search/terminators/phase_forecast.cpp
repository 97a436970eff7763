#include "server/search/terminators/phase_forecast.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <map>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "base/rng.hpp"
#include "schemas/types/search_spec.hpp"
#include "server/search/terminators/terminator.hpp"

namespace hone {
namespace {

constexpr std::size_t plays = 19;  // 18 of 20 further ones lie between their least and most
constexpr int workers = 2;
constexpr int whole_curves_max = 300;  // phases of `median`: 0.2 s

// Trials of a simulated sweep; the runs of a larger one train as long on average. Judging several
// seeds together takes time that grows with their reports; 0: too long.
std::int64_t trials_max(const SweepShape& shape) {
  if (!shape.replication.multi_seed()) return 64;
  const std::int64_t reports = std::int64_t{shape.seeds} * shape.phases;
  return reports > 300 ? 0 : std::clamp<std::int64_t>(500 / reports, 3, 16);
}

// The same sweep with drawn curves: parameter sets of qualities in [0, 1], each report the quality
// times a saturating climb, with noise between 1 % and 30 % of the range of qualities.
class Play {
 public:
  Play(const Terminator& chooser, const Terminator& judge, const SweepShape& shape,
       std::uint64_t index)
      : chooser_(chooser),
        judge_(judge),
        shape_(shape),
        history_(Goal::maximize, 0, 1, shape.replication),
        rng_(0, Purpose::simulation, index),
        noise_(0.01 * std::pow(30.0, rng_.uniform())) {}

  // Returns the number of phases that were trained.
  std::int64_t run() {
    for (int worker = 0; worker < workers; ++worker) assign();
    std::int64_t phases = 0;
    for (; !training_.empty(); ++phases) report();
    return phases;
  }

 private:
  // Gives a free worker its next run; with none, it stays idle until a later report.
  void assign() {
    if (const auto run = next_run()) training_.push_back(*run);
  }

  std::optional<std::size_t> next_run() {
    if (queue_.empty()) {
      const bool left = proposed_ < shape_.trials;
      const NextAction next = chooser_.next(history_, left);
      if (next.kind == NextAction::Kind::replicate) return history_.add_run(next.index);
      if (next.kind != NextAction::Kind::propose || !left) return std::nullopt;
      const std::size_t trial = history_.add_trial({});
      qualities_.push_back(rng_.uniform());
      for (int seed = 0; seed < shape_.seeds; ++seed) queue_.push_back(history_.add_run(trial));
      ++proposed_;
    }
    const std::size_t run = queue_.front();
    queue_.pop_front();
    return run;
  }

  // The run whose turn it is reports a phase, and stops or takes its next turn.
  void report() {
    const std::size_t run = training_.front();
    training_.pop_front();
    const RunRecord& record = history_.runs()[run];
    const std::size_t trial = record.trial;
    const auto phase = static_cast<int>(record.merits.size());
    const double climb = 1 - std::exp(-3.0 * (phase + 1) / shape_.phases);
    const Score score = Score::of(qualities_[trial] * climb + noise_ * rng_.normal());
    const bool last = phase == shape_.phases - 1;
    const bool stops = last || judge_.judge(history_, run, phase, score).action == Action::stop;
    history_.add_report(run, phase, score);
    if (!stops) return training_.push_back(run);
    history_.end_run(run, last, true, !last);
    if (!last) end_waiting_siblings(trial);
    while (training_.size() < static_cast<std::size_t>(workers)) {
      const auto before = training_.size();
      assign();
      if (training_.size() == before) return;
    }
  }

  // A stopped trial needs none of its runs that have not started.
  void end_waiting_siblings(std::size_t trial) {
    std::erase_if(queue_, [&](std::size_t run) {
      if (history_.runs()[run].trial != trial) return false;
      history_.end_run(run, false, true, true);
      return true;
    });
  }

  const Terminator& chooser_;
  const Terminator& judge_;
  SweepShape shape_;
  History history_;
  Rng rng_;
  double noise_;
  std::vector<double> qualities_;     // of each trial
  std::deque<std::size_t> queue_;     // runs that wait for a worker
  std::deque<std::size_t> training_;  // runs in the order of their next reports
  std::int64_t proposed_ = 0;
};

// `chooser` says what a free worker does next, `judge` which runs end.
std::optional<PhaseForecast> simulated(const TerminatorSpec& chooser, const TerminatorSpec& judge,
                                       SweepShape shape) {
  if (shape.population.size > 0 || shape.until_bar) return std::nullopt;
  const std::int64_t trials = shape.trials;
  shape.trials = std::min(shape.trials, trials_max(shape));
  const auto chooses = make_terminator(chooser, shape);
  const auto judges = make_terminator(judge, shape);
  if (!chooses || !judges || shape.trials < 1) return std::nullopt;
  std::array<std::int64_t, plays> phases{};
  for (std::size_t i = 0; i < plays; ++i) phases[i] = Play(**chooses, **judges, shape, i).run();
  const double scale = static_cast<double>(trials) / static_cast<double>(shape.trials);
  const auto scaled = [&](double count) { return std::llround(count * scale); };
  const auto [least, most] = std::minmax_element(phases.begin(), phases.end());
  const auto sum = std::accumulate(phases.begin(), phases.end(), std::int64_t{0});
  return PhaseForecast{scaled(static_cast<double>(sum) / plays),
                       scaled(static_cast<double>(*least)), scaled(static_cast<double>(*most))};
}

}  // namespace

std::optional<PhaseForecast> forecast_without_pauses(const TerminatorSpec& rule,
                                                     const SweepShape& shape) {
  const auto rows = terminator_table();
  const auto row = std::ranges::find(rows, rule.rule, &TerminatorRow::rule);
  if (row == rows.end() || row->judges_values || !row->without_pauses.empty()) return std::nullopt;
  if (row->judges_whole_curves && shape.phases > whole_curves_max) return std::nullopt;
  return simulated(rule, rule, shape);
}

std::optional<PhaseForecast> forecast_without_checkpoints(const TerminatorSpec& rule,
                                                          const SweepShape& shape) {
  const auto other = without_pauses(rule);
  return other ? simulated(rule, *other, shape) : std::nullopt;
}

}  // namespace hone
