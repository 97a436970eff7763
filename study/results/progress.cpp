#include "study/results/progress.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

namespace hone::study {
namespace {

constexpr std::ptrdiff_t pace_outcomes = 20;

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

using OutcomesOfCell = std::map<std::pair<std::string, std::string>, std::vector<const Outcome*>>;

Json repetition_json(const Outcome& one) {
  return {{"repetition", one.repetition + 1},
          {"tuning", one.tuning},
          {"test", one.test.empty() ? Json(nullptr) : Json(one.test)},
          {"tuned", or_null(one.tuned)},
          {"fresh", or_null(one.fresh)}};
}

Json cell_progress(const Study& study, std::size_t method, std::size_t problem,
                   const RecordedStudy& recorded, const std::vector<const Outcome*>& done) {
  Json cell{{"method", study.methods[method].name},
            {"problem", study.problems[problem].name},
            {"done", done.size()},
            {"repetitions", Json::array()},
            {"running", Json::array()}};
  for (const Outcome* one : done) cell["repetitions"].push_back(repetition_json(*one));
  for (int i = 0; i < most_repetitions(study); ++i) {
    const bool ended = std::any_of(done.begin(), done.end(),
                                   [&](const Outcome* one) { return one->repetition == i; });
    const auto sweep =
        ended ? std::nullopt : recorded.find(tuning_sweep(study, {method, problem, i}));
    if (sweep) cell["running"].push_back(*sweep);
  }
  return cell;
}

Json anytime_json(const Study& study, const Findings& findings) {
  Json methods = Json::array();
  for (const std::size_t method : findings.order) {
    Json points = Json::array();
    for (const Band& band : findings.methods[method].anytime)
      points.push_back({band.value, band.interval.low, band.interval.high});
    methods.push_back({{"method", study.methods[method].name}, {"points", std::move(points)}});
  }
  return {{"spent", findings.spent}, {"methods", std::move(methods)}};
}

}  // namespace

std::optional<Duration> time_left(const std::vector<Instant>& starts, std::vector<Instant> ends,
                                  std::size_t expected, Instant now) {
  if (starts.empty() || ends.empty() || ends.size() >= expected) return std::nullopt;
  std::sort(ends.begin(), ends.end());
  const auto counted = std::min(std::ssize(ends), pace_outcomes);
  const Instant since = std::ssize(ends) > counted
                            ? *(ends.end() - counted - 1)
                            : *std::min_element(starts.begin(), starts.end());
  const auto missing = static_cast<std::int64_t>(expected - ends.size());
  return Duration{std::max<std::int64_t>(0, (now - since).us) / counted * missing};
}

Json encode_progress(const Study& study, const RecordedStudy& recorded,
                     const std::vector<Outcome>& outcomes, const Findings& findings, Instant now) {
  OutcomesOfCell by_cell;
  for (const Outcome& one : outcomes) by_cell[{one.method, one.problem}].push_back(&one);
  Json cells = Json::array();
  for (std::size_t problem = 0; problem < study.problems.size(); ++problem)
    for (std::size_t method = 0; method < study.methods.size(); ++method)
      cells.push_back(
          cell_progress(study, method, problem, recorded,
                        by_cell[{study.methods[method].name, study.problems[problem].name}]));
  std::map<std::string, Instant> ended;
  std::vector<Instant> starts, ends;
  bool running = false;
  for (const auto& [name, sweep] : recorded.sweeps()) {
    if (sweep.submitted_at) starts.push_back(*sweep.submitted_at);
    if (sweep.ended_at) ended[sweep.id] = *sweep.ended_at;
    running = running || !sweep.ended_at;
  }
  for (const Outcome& one : outcomes)
    if (const auto end = ended.find(one.test.empty() ? one.tuning : one.test); end != ended.end())
      ends.push_back(end->second);
  const auto left = running ? time_left(starts, std::move(ends), findings.expected, now)
                            : std::optional<Duration>();
  return {{"question", study.question},
          {"most_repetitions", most_repetitions(study)},
          {"sequential", study.until.has_value()},
          {"running", running},
          {"seconds_left", left ? Json(static_cast<double>(left->us) / 1e6) : Json(nullptr)},
          {"progress", std::move(cells)},
          {"anytime", anytime_json(study, findings)}};
}

}  // namespace hone::study
