#include "server/search/space/search_space.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/expect.hpp"
#include "base/nearest.hpp"
#include "base/rng.hpp"

namespace hone {
namespace {

// Bounds the search for a feasible set to about a second. A space in which fewer sets than one in
// this many are feasible is refused.
constexpr std::size_t witness_tries_max = 100'000, witness_tries_min = 1000;
constexpr std::size_t witness_work_max = 20'000'000;  // one for a parameter, ten for a name read
// Of a brief search: one for a parameter or a node of an expression.
constexpr std::size_t witness_cost_max = 2'000'000, witness_tries_brief = 200;
// Of all conditions, expressions and constraints of a new space: 30 for each of 1,000 parameters.
// Each parameter set evaluates all of them.
constexpr std::size_t expression_bytes_max = 32 * 1024;

bool is_ordered(const Domain& domain) {
  const auto* choice = std::get_if<ChoiceDomain>(&domain);
  return !std::holds_alternative<BoolDomain>(domain) && (choice == nullptr || choice->ordered);
}

std::vector<double> prior_weights(const Domain& domain) {
  const auto* choice = std::get_if<ChoiceDomain>(&domain);
  if (choice == nullptr) return {0.5, 0.5};
  std::vector<double> weights = choice->weights;
  if (weights.empty()) weights.assign(choice->values.size(), 1);
  double sum = 0;
  for (const double one : weights) sum += one;
  for (double& one : weights) one /= sum;
  return weights;
}

std::optional<Dimension> dimension_of(const Parameter& parameter) {
  if (std::holds_alternative<FixedDomain>(parameter.domain) ||
      std::holds_alternative<DerivedDomain>(parameter.domain))
    return std::nullopt;
  const std::int64_t size = levels(parameter.domain);
  if (size == 0) return Dimension{parameter.name, Dimension::Kind::real, 0, {}};
  if (is_ordered(parameter.domain))
    return Dimension{parameter.name, Dimension::Kind::grid, size, {}};
  return Dimension{parameter.name, Dimension::Kind::choice, size, prior_weights(parameter.domain)};
}

// The names that a parameter's condition and expression read; none if they do not parse.
std::vector<std::string> names_read(const Space& space, const Parameter& parameter) {
  const auto* derived = std::get_if<DerivedDomain>(&parameter.domain);
  std::vector<std::string> names;
  for (const std::string& text : {parameter.when, derived ? derived->expr : std::string()}) {
    if (text.empty()) continue;
    if (const auto parsed = Expression::parse(text, Numbers::floats, Comparison::rounded, space))
      names.insert(names.end(), parsed->names().begin(), parsed->names().end());
  }
  return names;
}

// Whether `name` reads `target`, directly or through others. Visits each parameter once.
bool reads(const Space& space, const std::string& name, std::string_view target) {
  std::set<std::string> seen{name};
  std::vector<std::string> open{name};
  while (!open.empty()) {
    const std::string next = std::move(open.back());
    open.pop_back();
    for (const Parameter& parameter : space) {
      if (parameter.name != next) continue;
      for (const std::string& read : names_read(space, parameter)) {
        if (read == target) return true;
        if (seen.insert(read).second) open.push_back(read);
      }
    }
  }
  return false;
}

// Refuses an expression that reads anything but the first `before` parameters.
Status check_names(const Space& space, const Expression& expression, std::size_t before,
                   const std::string& at) {
  std::vector<std::string_view> earlier;
  for (std::size_t i = 0; i < before; ++i) earlier.push_back(space[i].name);
  for (const std::string& name : expression.names()) {
    if (std::find(earlier.begin(), earlier.end(), name) != earlier.end()) continue;
    const auto later = std::find_if(space.begin(), space.end(),
                                    [&](const Parameter& one) { return one.name == name; });
    if (later == space.end())
      return refuse(Code::invalid,
                    "'" + name + "' is no parameter of this sweep" + did_you_mean(name, earlier),
                    at);
    const std::string& self = space[before].name;
    if (name == self || reads(space, name, self))
      return refuse(Code::invalid,
                    "'" + self + "' and '" + name + "' depend on each other: a cycle", at);
    return refuse(Code::invalid,
                  "'" + name + "' is named after this one: move it before '" + self + "'", at);
  }
  return Done{};
}

// Values beyond 2^53 are not distinct as numbers of 64 bits, and their count would overflow.
Status check_steps(const Parameter& parameter, const std::string& at) {
  constexpr double values_max = 0x1p53;
  double values = 1;
  if (const auto* d = std::get_if<FloatDomain>(&parameter.domain); d != nullptr && d->step)
    values = (d->max - d->min) / *d->step;
  if (const auto* d = std::get_if<IntDomain>(&parameter.domain))
    values =
        (static_cast<double>(d->max) - static_cast<double>(d->min)) / static_cast<double>(d->step);
  if (values < values_max) return Done{};
  return refuse(Code::invalid,
                "'" + parameter.name +
                    "' has more than 2^53 values: use a larger step, or none, or a smaller range",
                at + "/step");
}

Status check_lengths(const Space& space, const std::vector<std::string>& constraints) {
  std::size_t bytes = 0;
  for (const std::string& constraint : constraints) bytes += constraint.size();
  for (const Parameter& parameter : space) {
    const auto* derived = std::get_if<DerivedDomain>(&parameter.domain);
    bytes += parameter.when.size() + (derived == nullptr ? 0 : derived->expr.size());
  }
  if (bytes <= expression_bytes_max) return Done{};
  return refuse(Code::invalid,
                "its conditions, expressions and constraints have " + std::to_string(bytes) +
                    " characters together, more than " + std::to_string(expression_bytes_max) +
                    ": shorten them, as each is evaluated for every parameter set",
                "/parameters");
}

}  // namespace

double prior_coordinate(const Dimension& dimension, double unit) {
  if (dimension.kind != Dimension::Kind::choice) return unit;
  double below = 0;
  std::size_t index = 0;
  while (index + 1 < dimension.weights.size() && unit >= (below += dimension.weights[index]))
    ++index;
  return static_cast<double>(index);
}

std::optional<Value> SearchSpace::Formula::evaluate(Values values) const {
  std::vector<const Value*> read;
  read.reserve(reads.size());
  for (const std::size_t index : reads) read.push_back(values[index]);
  return expression.evaluate_at(read);
}

bool SearchSpace::Formula::holds(Values values) const {
  const auto value = evaluate(values);
  const auto* truth = value ? std::get_if<bool>(&*value) : nullptr;
  return truth != nullptr && *truth;
}

Result<Expression> SearchSpace::parsed(const std::string& text, std::size_t before,
                                       const std::string& at, Numbers numbers) const {
  const auto comparison = rule_ == ValueRule::decimal ? Comparison::rounded : Comparison::exact;
  auto expression = Expression::parse(text, numbers, comparison, parameters_);
  if (!expression) return refuse(Code::invalid, expression.error().detail, at);
  if (auto names = check_names(parameters_, *expression, before, at); !names) return names.error();
  return expression;
}

// Every name is a parameter: `parsed` has checked it.
SearchSpace::Formula SearchSpace::formula_of(Expression expression) const {
  Formula formula{std::move(expression), {}};
  for (const std::string& name : formula.expression.names()) {
    const auto found = std::ranges::find(parameters_, name, &Parameter::name);
    formula.reads.push_back(static_cast<std::size_t>(found - parameters_.begin()));
  }
  return formula;
}

Status SearchSpace::add_parameter(std::size_t index) {
  const Parameter& parameter = parameters_[index];
  const std::string at = "/parameters/" + parameter.name;
  if (auto countable = check_steps(parameter, at); !countable) return countable;
  Step step;
  if (!parameter.when.empty()) {
    auto when = parsed(parameter.when, index, at + "/when");
    if (!when) return when.error();
    evaluation_cost_ += when->size();
    step.when = formula_of(*std::move(when));
    conditional_ = true;
  }
  if (const auto* derived = std::get_if<DerivedDomain>(&parameter.domain)) {
    auto expression = parsed(derived->expr, index, at + "/expr",
                             derived->keep_ints ? Numbers::typed : Numbers::floats);
    if (!expression) return expression.error();
    evaluation_cost_ += expression->size();
    step.derived = formula_of(*std::move(expression));
  }
  if (auto dimension = dimension_of(parameter)) {
    step.dimension = dimensions_.size();
    dimensions_.push_back(*std::move(dimension));
    parameter_of_dimension_.push_back(index);
  }
  ++evaluation_cost_;
  steps_.push_back(std::move(step));
  return Done{};
}

Status SearchSpace::add_constraints(const std::vector<std::string>& constraints) {
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    auto constraint =
        parsed(constraints[i], parameters_.size(), "/constraints/" + std::to_string(i));
    if (!constraint) return constraint.error();
    constraints_.push_back(formula_of(*std::move(constraint)));
  }
  return Done{};
}

Result<SearchSpace> SearchSpace::make(const Space& space,
                                      const std::vector<std::string>& constraints,
                                      WitnessSearch search, ValueRule rule) {
  if (search == WitnessSearch::brief)
    if (auto fits = check_lengths(space, constraints); !fits) return fits.error();
  SearchSpace made;
  made.parameters_ = space;
  made.rule_ = rule;
  for (std::size_t i = 0; i < space.size(); ++i)
    if (auto added = made.add_parameter(i); !added) return added.error();
  if (auto added = made.add_constraints(constraints); !added) return added.error();
  if (auto found = made.find_witness(search); !found) return found.error();
  return made;
}

Status SearchSpace::find_witness(WitnessSearch search) {
  Rng rng(0, Purpose::witness, 0);
  std::size_t read = 1 + parameters_.size(), cost = 1 + evaluation_cost_;
  for (const Formula& constraint : constraints_) {
    read += 10 * (1 + constraint.reads.size());
    cost += constraint.expression.size();
  }
  const auto thorough = std::clamp(witness_work_max / read, witness_tries_min, witness_tries_max);
  const auto brief = std::clamp(witness_cost_max / cost, witness_tries_brief, witness_tries_max);
  const auto limit = search == WitnessSearch::brief ? std::min(brief, thorough) : thorough;
  for (std::size_t tries = 0; tries < limit; ++tries) {
    witness_ = uniform_point(rng);
    if (feasible(witness_)) return Done{};
  }
  const auto is_undefined = [&](const Formula& constraint) {
    for (std::size_t tries = 0; tries < witness_tries_min; ++tries) {
      const Params params = params_at(uniform_point(rng));
      const auto values = values_of(params);
      const bool binds = std::ranges::all_of(
          constraint.reads, [&](std::size_t index) { return values[index] != nullptr; });
      if (!binds || constraint.evaluate(values)) return false;
    }
    return true;
  };
  for (std::size_t i = 0; i < constraints_.size(); ++i)
    if (is_undefined(constraints_[i]))
      return refuse(Code::invalid,
                    "has no value for any of " + std::to_string(witness_tries_min) +
                        " random parameter sets: it compares a number with a text, or computes "
                        "something undefined, such as 1/0",
                    "/constraints/" + std::to_string(i));
  return refuse(Code::invalid,
                "none of " + std::to_string(limit) +
                    " random parameter sets satisfies every constraint: loosen a constraint or "
                    "narrow the parameters to where they hold",
                "/constraints");
}

}  // namespace hone
