#include "worker/agent/collector.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include "base/expect.hpp"
#include "base/text.hpp"

namespace hone::worker {
namespace {

constexpr int complaints_max = 5;
constexpr std::size_t rows_max = 100'000;  // summarized in one value: 800 kB per objective
constexpr double step_max = 9007199254740991.0;
constexpr std::size_t quoted_max = 200;  // bytes of a line in a complaint

constexpr std::size_t tags_max = 20;  // named in a complaint

// Each event has its step: it goes into the column of this name.
CollectSpec with_step(CollectSpec spec) {
  if (spec.format == CollectFormat::tensorboard) spec.step = "step";
  return spec;
}

// The objectives first, then the step, then the metrics.
std::vector<std::string> wanted_columns(const CollectSpec& spec) {
  auto wanted = spec.objectives;
  if (!spec.step.empty()) wanted.push_back(spec.step);
  wanted.insert(wanted.end(), spec.metrics.begin(), spec.metrics.end());
  return wanted;
}

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

}  // namespace

Collector::Collector(const CollectSpec& spec, const BudgetSpec& budget, const AttemptOrigin& origin)
    : spec_(with_step(spec)),
      budget_(budget),
      step_at_(spec.objectives.size()),
      metrics_at_(spec.objectives.size() + (spec_.step.empty() ? 0 : 1)),
      reader_(spec_, wanted_columns(spec_)),
      probe_(spec_, wanted_columns(spec_)),
      origin_(origin),
      steps_(origin),
      values_(spec.objectives.size()),
      began_(spec.objectives.size()) {
  go_to_origin();
  next_ = phase_;
}

// The phases that end at the origin or before it are trained.
void Collector::go_to_origin() {
  counted_ = static_cast<double>(origin_.step);
  step_ = origin_.step;
  phase_ = 0;
  while (phase_ < budget_.phases && end_of_phase() <= origin_.step) ++phase_;
}

void Collector::take(std::string_view line, std::vector<TrialLine>& lines) {
  if (phase_ >= budget_.phases && spec_.metrics.empty()) return;  // nothing is left to report
  if (line.find_first_not_of(" \t\r") != std::string_view::npos) ++lines_;
  const bool is_row = reader_.read(line, row_, fault_);
  if (!fault_.empty())
    complain((is_row ? "of this line: " : "this line was skipped: ") + fault_ + ": " +
             std::string(line.substr(0, quoted_max)));
  if (is_row) take_row(row_, lines);
}

void Collector::probe(std::string_view line) {
  if (found_ || elsewhere_) return;
  ColumnReader::Row row;
  std::string ignored;
  elsewhere_ = probe_.read(line, row, ignored) && row.front();
}

void Collector::take(const ScalarEvent& event, std::vector<TrialLine>& lines) {
  for (const Scalar& scalar : event.scalars) {
    note_tag(scalar.tag);
    take_scalar(scalar, event.step, lines);
  }
}

// The values of several objectives come in several events of one step: they are one row, which is
// taken when it has them all, or when the next one begins.
void Collector::take_scalar(const Scalar& scalar, std::int64_t step,
                            std::vector<TrialLine>& lines) {
  const auto index_in = [&](const std::vector<std::string>& names) {
    return static_cast<std::size_t>(std::ranges::find(names, scalar.tag) - names.begin());
  };
  std::size_t at = index_in(spec_.objectives);
  if (at == spec_.objectives.size()) {
    at = metrics_at_ + index_in(spec_.metrics);
    if (at == metrics_at_ + spec_.metrics.size()) return;
  }
  if (row_open_ && (row_[at] || row_[step_at_] != static_cast<double>(step))) take_open_row(lines);
  if (!row_open_) row_.assign(metrics_at_ + spec_.metrics.size(), std::nullopt);
  row_open_ = true;
  row_[step_at_] = static_cast<double>(step);
  row_[at] = scalar.value;
  const auto objectives = spec_.objectives.size();
  const auto found = static_cast<std::size_t>(
      std::count_if(row_.begin(), row_.begin() + static_cast<std::ptrdiff_t>(objectives),
                    [](const auto& value) { return value.has_value(); }));
  if (objectives == 1 || found == objectives) take_open_row(lines);
}

void Collector::take_open_row(std::vector<TrialLine>& lines) {
  if (!std::exchange(row_open_, false)) return;
  take_row(row_, lines);
}

void Collector::note_tag(const std::string& tag) {
  if (tags_.size() < tags_max && std::ranges::find(tags_, tag) == tags_.end()) tags_.push_back(tag);
}

void Collector::restart() {
  row_open_ = false;
  reader_.restart();
  go_to_origin();
  for (auto& values : values_) values.clear();
  fresh_ = false;
  for (std::size_t i = 0; i < began_.size(); ++i) began_[i] = false;
}

void Collector::finish(std::vector<TrialLine>& lines) {
  take_open_row(lines);
  const bool reported = fresh_ || found_;
  if (spec_.format == CollectFormat::tensorboard && !reported) {
    std::string known;
    for (const auto& tag : tags_) known += (known.empty() ? "" : ", ") + tag;
    complain("the event files have no scalar '" + spec_.objectives.front() + "'" +
             (known.empty() ? ", nor any other" : "; they have " + known));
  }
  if ((fresh_ || is_all_nan()) && phase_ < budget_.phases) report(lines);
}

std::string Collector::nothing_found(const CollectSource& source) const {
  if (found_) return spec_.nan == NanRule::skip ? "each value of its rows was NaN" : "";
  const std::string& objective = spec_.objectives.front();
  const std::string& name = source.name;
  if (!source.exists)
    return "there is no " + name + (source.path.empty() ? "" : " at " + source.path) +
           (source.advice.empty() ? "" : "; " + source.advice);
  if (spec_.format == CollectFormat::tensorboard)
    return "no event file in " + name +
           (tags_.empty() ? " has a scalar" : " has the scalar '" + objective + "'");
  if (!reader_.unreadable().empty()) return "of " + name + ", " + reader_.unreadable();
  if (elsewhere_) return "its values are in " + source.other + "; add " + source.advice;
  if (lines_ == 0) return name + " was empty";
  const bool regex = spec_.format == CollectFormat::regex;
  return "0 of the " + counted(lines_, "line") + " of " + name +
         (regex ? " matched the pattern of command.collect" : " had a value of " + objective);
}

std::optional<std::string> Collector::take_complaint() {
  return std::exchange(complaint_, std::nullopt);
}

void Collector::take_row(const ColumnReader::Row& row, std::vector<TrialLine>& lines) {
  if (!advance(row)) return;
  keep_objectives(row);
  for (std::size_t i = 0; i < spec_.metrics.size(); ++i)
    if (const auto value = row[metrics_at_ + i]; value && std::isfinite(*value))
      lines.emplace_back(MetricPoint{spec_.metrics[i], step_, *value});
  while (phase_ < budget_.phases && step_ >= end_of_phase() &&
         (fresh_ || (is_all_nan() && is_late()))) {
    const bool jumped = phase_ + 1 < budget_.phases;
    report(lines);
    // A row that is past several phases is the report of each of them.
    fresh_ = jumped && step_ >= end_of_phase();
  }
}

// Returns false if the row's step is impossible.
bool Collector::advance(const ColumnReader::Row& row) {
  std::optional<double> at;
  if (spec_.step.empty()) {
    if (row.front()) counted_ += 1;
    at = counted_;
  } else if (!row[step_at_]) {
    return true;
  } else if (spec_.step_sum) {
    at = counted_ + *row[step_at_];
  } else {
    at = named_step(*row[step_at_]);
  }
  if (!(*at >= 0 && *at <= step_max)) {
    complain("a row was skipped: its step is not a count");
    return false;
  }
  if (spec_.step_sum) counted_ = *at;
  step_ = std::llround(std::floor(*at));
  return true;
}

double Collector::named_step(double step) {
  if (spec_.step_restarts) return step + static_cast<double>(origin_.step);
  const bool is_first = !std::exchange(named_, true);
  if (is_first && origin_.begin == 0 && step < static_cast<double>(origin_.step))
    complain("its steps begin at " + number_text(step) + ", before the " +
             std::to_string(origin_.step) +
             " of the checkpoint that it continues from; if they "
             "begin again with each attempt, write step: {restarts: " +
             spec_.step + "}");
  return step + static_cast<double>(steps_.base(step));
}

void Collector::keep_objectives(const ColumnReader::Row& row) {
  const auto most =
      spec_.window == 0 ? rows_max : std::min(static_cast<std::size_t>(spec_.window), rows_max);
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (!row[i]) continue;
    if (i == 0) found_ = true;
    if (!counts(i, *row[i])) continue;
    values_[i].push_back(*row[i]);
    if (values_[i].size() > most) values_[i].pop_front();
    if (i == 0) fresh_ = true;
  }
}

// Mean returns are NaN until an episode has ended.
bool Collector::counts(std::size_t objective, double value) {
  const bool is_nan = std::isnan(value);
  const bool began = began_[objective];
  if (!is_nan) began_[objective] = true;
  if (!is_nan || spec_.nan == NanRule::diverged) return true;
  return !spec_.nan && began;
}

// Whether the attempt had rows, and NaN in each of them.
bool Collector::is_all_nan() const { return found_ && !began_.front() && !spec_.nan; }

// Whether half of what the attempt has to train is over: from there on a run without a number is
// not waited for.
bool Collector::is_late() const {
  return step_ - origin_.step >= (budget_.per_run - origin_.step + 1) / 2;
}

void Collector::report(std::vector<TrialLine>& lines) {
  if (phase_ >= next_) {
    ReportLine line;
    line.phase = phase_;
    line.step = step_;
    line.score = summary_of(values_.front());
    for (std::size_t i = 1; i < values_.size(); ++i) line.further.push_back(summary_of(values_[i]));
    lines.emplace_back(std::move(line));
    next_ = phase_ + 1;
  }
  ++phase_;
  fresh_ = false;
  // The next phase starts without values, unless this row is past that phase as well.
  if (spec_.window == 0 && (phase_ >= budget_.phases || step_ < end_of_phase()))
    for (auto& values : values_) values.clear();
}

// A NaN among numbers is not a result. It is where it is the last value and that one counts, and
// where most values are NaN.
bool Collector::is_diverged(const std::deque<double>& values) const {
  const auto nan = std::ranges::count_if(values, [](double one) { return std::isnan(one); });
  const auto size = static_cast<std::ptrdiff_t>(values.size());
  if (std::ranges::any_of(values, [](double one) { return std::isinf(one); })) return true;
  if (spec_.summary == Summary::last && size > 0 && std::isnan(values.back())) return true;
  return spec_.nan ? nan > 0 || size == 0 : 2 * nan > size || size == 0;
}

Score Collector::summary_of(const std::deque<double>& values) const {
  if (is_diverged(values)) return Score::diverged();
  std::vector<double> numbers;
  std::ranges::copy_if(values, std::back_inserter(numbers),
                       [](double one) { return std::isfinite(one); });
  switch (spec_.summary) {
    case Summary::last:
      return Score::of(numbers.back());
    case Summary::mean:
      return Score::of(std::accumulate(numbers.begin(), numbers.end(), 0.0) /
                       static_cast<double>(numbers.size()));
    case Summary::median:
      return Score::of(median_of(std::move(numbers)));
    case Summary::max:
      return Score::of(*std::max_element(numbers.begin(), numbers.end()));
    case Summary::min:
      return Score::of(*std::min_element(numbers.begin(), numbers.end()));
  }
  unreachable();
}

// Phase p ends at (p + 1) / phases of the budget, as for every other trainer.
std::int64_t Collector::end_of_phase() const {
  return budget_.per_run * (phase_ + 1) / budget_.phases;
}

void Collector::complain(std::string what) {
  if (complaints_ >= complaints_max) return;
  ++complaints_;
  if (complaints_ == complaints_max) what += " (further ones are not logged)";
  complaint_ = std::move(what);
}

}  // namespace hone::worker
