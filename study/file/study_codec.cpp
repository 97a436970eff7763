// The description of a study file.
#include <cmath>
#include <set>

#include "base/ascii.hpp"
#include "schemas/codec/fields.hpp"
#include "study/file/study.hpp"

namespace hone::codec {
namespace {

using study::Cost;
using study::Measure;
using study::Method;
using study::Problem;
using study::SequentialPlan;
using study::Study;

constexpr int least_looked_at = 4;  // fewer pairs can never be significant
constexpr std::int64_t trials_max = 100'000;

std::string read_name(const Spot& spot, std::string name) {
  if (name.empty() || name.size() > study::name_max || !is_plain(name, "-._"))
    spot.refuse("the name '" + name.substr(0, study::name_max) +
                "' must be 1 to 24 letters, digits or -._ (it becomes a tag)");
  return name;
}

std::string read_study_name(const Spot& spot) { return read_name(spot, Line{1}(spot)); }

Json read_object_as_it_is(const Spot& spot) {
  if (!spot.json.is_object()) spot.refuse("must be an object, not " + described(spot.json));
  return spot.json;
}

// [worst, best].
struct Ends {
  double worst = 0, best = 1;
};

}  // namespace

template <>
Ends read(const Spot& spot) {
  const auto pair = read_by<std::vector<double>>(spot, ListOf{OfType{}, std::size_t{2}});
  if (pair.size() != 2 || pair[0] == pair[1]) {
    spot.refuse("must be two different values: [worst, best]");
    return {};
  }
  return {pair[0], pair[1]};
}

// 20, "until 0.02", or {until: 0.02, least: 6, most: 40}.
struct Repetitions {
  int fixed = 0;
  std::optional<SequentialPlan> until{};
};

void fields(Reader& f, SequentialPlan& plan) {
  f("until", plan.error)
      .maybe("least", plan.least, Integer{least_looked_at, study::repetitions_max});
  f.maybe("most", plan.most, Integer{least_looked_at, study::repetitions_max});
}

void check(Reader& f, const SequentialPlan& plan) {
  if (!(plan.error > 0 && plan.error < 0.5))
    f.refuse_rule("until", "must be the chance of a wrong answer, between 0 and 0.5");
  if (plan.least > plan.most) f.refuse_rule("least", "must be at most `most`");
}

template <>
Repetitions read(const Spot& spot) {
  constexpr std::string_view word = "until ";
  if (spot.json.is_object()) return {0, read_object<SequentialPlan>(spot)};
  const std::string* text = spot.text();
  if (text == nullptr) return {read_int(spot, {1, study::repetitions_max}), std::nullopt};
  const auto number = text->starts_with(word) ? parse_json(text->substr(word.size()))
                                              : Result<Json>(refuse(Code::invalid, ""));
  if (!number || !number->is_number()) {
    spot.refuse("must be a number, \"until 0.02\" or {until: 0.02, least: 6, most: 40}");
    return {};
  }
  const Json whole{{"until", *number}};
  return {0, read_object<SequentialPlan>(Spot{whole, Place(spot.place, "until"), spot.fault})};
}

void fields(Reader& f, Cost& cost) {
  f.some("trials", cost.trials, Count{1, trials_max}).some("runs", cost.runs, Count{1, trials_max});
  f.some("steps", cost.steps, Count{1, exact_max});
  f.some("seconds", cost.seconds, Length{seconds(1), true});
}

void check(Reader& f, const Cost& cost) {
  const int set = int{cost.trials.has_value()} + int{cost.runs.has_value()} +
                  int{cost.steps.has_value()} + int{cost.seconds.has_value()};
  if (set != 1)
    f.refuse_rule("trials", "exactly one of trials, runs, steps and seconds must be equal");
}

void fields(Reader& f, Measure& measure) {
  f.maybe("seeds", measure.seeds, Integer{0, study::test_seeds_max});
  f.maybe("levels", measure.levels, ListOf{OfType{}, study::levels_max});
}

void fields(Reader& f, Method& method) {
  f("search", method.search, read_object_as_it_is);
  f.maybe("terminator", method.terminator, read_object_as_it_is);
}

void fields(Reader& f, Problem& problem) {
  Ends ends;
  f("scale", ends);
  problem.worst = ends.worst, problem.best = ends.best;
  f.each_other([&](const std::string& key, const Spot& spot) {
    constexpr std::array<std::string_view, 6> ours{"search", "terminator", "seed",
                                                   "name",   "project",    "confirm"};
    if (std::find(ours.begin(), ours.end(), key) != ours.end())
      spot.refuse("is not a field of a problem: the study sets it for each repetition");
    problem.sweep[key] = spot.json;
  });
  const Json& objective = problem.sweep.contains("objective") ? problem.sweep["objective"] : Json();
  if (!objective.is_object() || ends.worst == ends.best) return;
  const bool smaller = objective.contains("reach") || objective.value("goal", Json()) == "minimize";
  if (smaller != (ends.best < ends.worst))
    f.refuse_rule("scale", std::string("must be [worst, best], and the best value is the ") +
                               (smaller ? "smallest" : "largest"));
}

// Members by name; T has a member `name`.
template <class T>
std::vector<T> read_named(const Spot& spot, std::size_t most, const char* noun) {
  std::vector<T> items;
  if (!spot.json.is_object() || spot.json.empty() || spot.json.size() > most) {
    spot.refuse("must name 1 to " + std::to_string(most) + " " + noun);
    return items;
  }
  for (const auto& [name, json] : spot.json.items()) {
    const Spot one{json, Place(spot.place, name), spot.fault};
    items.push_back(read_object<T>(one));
    items.back().name = read_name(one, name);
  }
  return items;
}

void fields(Reader& f, Study& s) {
  Repetitions repetitions{s.repetitions};
  f("study", s.name, read_study_name).maybe("question", s.question, Line{0, 300});
  f.maybe("seed", s.seed, Integer{0, exact_max}).maybe("repetitions", repetitions);
  f("equal", s.equal).maybe("workers", s.workers, Integer{1, 1000}).maybe("measure", s.measure);
  s.repetitions = repetitions.fixed, s.until = repetitions.until;
  f("methods", s.methods,
    [](const Spot& spot) { return read_named<Method>(spot, study::methods_max, "methods"); });
  f("problems", s.problems,
    [](const Spot& spot) { return read_named<Problem>(spot, study::problems_max, "problems"); });
}

}  // namespace hone::codec

namespace hone::study {

Result<Study> decode_study(const Json& document) { return codec::decode_as<Study>(document); }

}  // namespace hone::study
