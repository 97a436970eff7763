#include "server/forecast/advise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <variant>

#include "server/forecast/scaling.hpp"
#include "server/forecast/speed.hpp"

namespace hone::forecast {
namespace {

constexpr std::size_t points_of_size_max = 40;  // the Lasso's time grows with them

double merit(double value, Goal goal) { return goal == Goal::maximize ? value : -value; }

// The values of all runs: what the distance to the best is measured from.
struct Scale {
  double best = -std::numeric_limits<double>::infinity();
  double least = 0;  // distance: a run at the best value has a logarithm, too
  double unit = 1;   // steps of an iteration
};

Scale scale_of(std::span<const AdviceRun> runs, const AdviceQuestion& question) {
  Scale scale;
  double worst = std::numeric_limits<double>::infinity();
  std::vector<double> first;
  for (const AdviceRun& run : runs) {
    for (const AdvicePoint& point : run.curve) {
      scale.best = std::max(scale.best, merit(point.value, question.goal));
      worst = std::min(worst, merit(point.value, question.goal));
    }
    if (!run.curve.empty()) first.push_back(run.curve.front().step);
  }
  if (first.empty()) return scale;
  scale.least = std::max(1e-3 * (scale.best - worst), 1e-12);
  scale.unit = std::max(1e-9, *std::min_element(first.begin(), first.end()));
  return scale;
}

double distance(double value, const AdviceQuestion& question, const Scale& scale) {
  return std::max(scale.best - merit(value, question.goal), 0.0) + scale.least;
}

using Runs = std::vector<const AdviceRun*>;

double middle_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

// Between two reports on the line through both; nullopt where nothing is known of the run.
std::optional<double> value_at(const AdviceRun& run, double step) {
  const auto& curve = run.curve;
  const auto after =
      std::lower_bound(curve.begin(), curve.end(), step,
                       [](const AdvicePoint& point, double at) { return point.step < at; });
  if (after == curve.end()) return run.stopped ? std::optional(curve.back().value) : std::nullopt;
  if (after->step == step) return after->value;
  if (after == curve.begin()) return std::nullopt;
  const AdvicePoint& before = *(after - 1);
  const double share = (step - before.step) / (after->step - before.step);
  return before.value + share * (after->value - before.value);
}

// At most points_of_size_max steps at which runs reported, the last one among them.
std::vector<double> steps_of(const Runs& runs) {
  std::set<double> all;
  for (const AdviceRun* run : runs)
    for (const AdvicePoint& point : run->curve) all.insert(point.step);
  const std::vector<double> steps(all.begin(), all.end());
  const std::size_t every = (steps.size() + points_of_size_max - 1) / points_of_size_max;
  std::vector<double> kept;
  for (std::size_t back = 0; back < steps.size(); back += every)
    kept.push_back(steps[steps.size() - 1 - back]);
  return kept;
}

struct Samples {
  std::vector<ScaleSample> times;
  std::vector<ProgressSample> progress;
  double iterations_max = 0;
};

// The medians of a size's runs: neither a few good ones nor a few poor ones move them.
void add_size(int size, const Runs& runs, const AdviceQuestion& question, const Scale& scale,
              Samples& samples) {
  std::vector<double> seconds;
  for (const AdviceRun* run : runs) {
    const AdvicePoint& last = run->curve.back();
    seconds.push_back(last.seconds / last.step * scale.unit);
    samples.iterations_max = std::max(samples.iterations_max, last.step / scale.unit);
  }
  samples.times.push_back({double(size), 1, middle_of(seconds)});
  for (const double step : steps_of(runs)) {
    std::vector<double> values;
    for (const AdviceRun* run : runs)
      if (const auto value = value_at(*run, step)) values.push_back(*value);
    samples.progress.push_back(
        {step / scale.unit, double(size), distance(middle_of(values), question, scale)});
  }
}

// One size gives its own time and says nothing of others.
std::optional<ScaleModel> fit_times(const std::vector<ScaleSample>& samples) {
  if (samples.size() > 1) return fit_scale(samples);
  ScaleModel model;
  model.terms[0] = samples.front().seconds;
  model.machines_max = samples.front().machines;
  return model;
}

// The mean relative error of the seconds of a step, each size left out in turn.
std::optional<double> time_error(const std::vector<ScaleSample>& samples) {
  double sum = 0, count = 0;
  for (const ScaleSample& left_out : samples) {
    std::vector<ScaleSample> others;
    std::copy_if(samples.begin(), samples.end(), std::back_inserter(others),
                 [&](const ScaleSample& sample) { return sample.machines != left_out.machines; });
    const auto fit = fit_scale(others);
    if (!fit) continue;
    sum += std::abs(fit->seconds(left_out.machines) / left_out.seconds - 1);
    ++count;
  }
  return count > 0 ? std::optional(sum / count) : std::nullopt;
}

// Sizes of which there is evidence, and the double of the largest; one size says nothing of others.
std::vector<int> candidates_of(const std::vector<int>& sizes) {
  std::vector<int> candidates(sizes);
  if (sizes.size() > 1) candidates.push_back(2 * sizes.back());
  return candidates;
}

// Of all sizes up to the double of the largest.
int fastest_of(const ScaleModel& model, const std::vector<int>& sizes) {
  if (sizes.size() == 1) return sizes.front();
  int fastest = 1;
  for (int m = 2; m <= 2 * sizes.back(); ++m)
    if (model.seconds(m) < model.seconds(fastest)) fastest = m;
  return fastest;
}

using Choice = std::variant<MachineChoice, std::string>;  // or why there is none

Choice choose(const ScaleModel& times, const ProgressModel& progress, const Samples& samples,
              const AdviceQuestion& question, const Scale& scale, Advice& advice) {
  const double iterations = 2 * samples.iterations_max;
  const auto candidates = candidates_of(advice.sizes);
  if (question.target) {
    const auto choice = first_to_reach(times, progress, candidates,
                                       distance(*question.target, question, scale), iterations);
    if (choice) return *choice;
    return "its median run is not expected to reach it within twice its longest run";
  }
  std::vector<int> covered;
  for (const int m : candidates) {
    advice.within_max = std::max(advice.within_max, iterations * times.seconds(m));
    if (question.within <= iterations * times.seconds(m)) covered.push_back(m);
  }
  if (covered.empty()) return "the time is beyond twice that of its longest run";
  const auto choice = best_within(times, progress, covered, question.within);
  if (choice) return *choice;
  return "the time is before its first report";
}

void answer(const Samples& samples, const AdviceQuestion& question, const Scale& scale,
            Advice& advice) {
  const auto progress = fit_progress(samples.progress);
  const auto times = fit_times(samples.times);
  if (!times || !progress) {
    advice.why = "too few reports: at least 5 are needed";
    return;
  }
  advice.fastest = fastest_of(*times, advice.sizes);
  advice.time_error = time_error(samples.times);
  if (std::isfinite(progress->left_out_error())) advice.progress_error = progress->left_out_error();
  const Choice choice = choose(*times, *progress, samples, question, scale, advice);
  if (const auto* why = std::get_if<std::string>(&choice)) {
    advice.why = *why;
    return;
  }
  const auto& chosen = std::get<MachineChoice>(choice);
  advice.size = chosen.machines;
  advice.seconds = chosen.seconds;
  advice.steps = chosen.seconds / times->seconds(chosen.machines) * scale.unit;
  const double value = scale.best - (chosen.suboptimality - scale.least);
  advice.value = question.goal == Goal::maximize ? value : -value;
}

Advice advice_of(const std::string& trainer, const std::map<int, Runs>& by_size,
                 const AdviceQuestion& question, const Scale& scale) {
  Advice advice;
  advice.trainer = trainer;
  Samples samples;
  for (const auto& [size, runs] : by_size) {
    advice.sizes.push_back(size);
    advice.runs += static_cast<int>(runs.size());
    add_size(size, runs, question, scale, samples);
  }
  if (advice.runs < advice_runs_min)
    advice.why = "too few runs: at least " + std::to_string(advice_runs_min) + " are needed";
  else if (question.target && merit(*question.target, question.goal) > scale.best)
    advice.why = "no run of the history has reached it";
  else
    answer(samples, question, scale, advice);
  return advice;
}

}  // namespace

std::vector<Advice> advise(std::span<const AdviceRun> runs, const AdviceQuestion& question) {
  const Scale scale = scale_of(runs, question);
  std::map<std::string, std::map<int, Runs>> by_trainer;
  for (const AdviceRun& run : runs)
    if (!run.curve.empty()) by_trainer[run.trainer][run.size].push_back(&run);
  std::vector<Advice> rows;
  for (const auto& [trainer, by_size] : by_trainer)
    rows.push_back(advice_of(trainer, by_size, question, scale));
  std::stable_sort(rows.begin(), rows.end(), [&](const Advice& a, const Advice& b) {
    if ((a.size > 0) != (b.size > 0)) return a.size > 0;
    return question.target ? a.seconds < b.seconds
                           : merit(a.value, question.goal) > merit(b.value, question.goal);
  });
  return rows;
}

}  // namespace hone::forecast
