// The points of a space and the parameter sets at them.
#include <algorithm>
#include <cmath>

#include "base/expect.hpp"
#include "schemas/values/member.hpp"
#include "server/search/space/binary_values.hpp"
#include "server/search/space/search_space.hpp"

namespace hone {
namespace {

std::size_t choice_level(const Dimension& dimension, double coordinate) {
  const auto index = std::isnan(coordinate) ? 0 : std::llround(coordinate);
  return static_cast<std::size_t>(std::clamp<std::int64_t>(index, 0, dimension.levels - 1));
}

Value choice_at(const Domain& domain, std::size_t index) {
  const auto* choice = std::get_if<ChoiceDomain>(&domain);
  return choice == nullptr ? Value{index == 1} : choice->values[index];
}

double choice_coordinate(const Domain& domain, const Value& value) {
  const auto* choice = std::get_if<ChoiceDomain>(&domain);
  if (choice == nullptr) return std::get<bool>(value) ? 1 : 0;
  const auto found = std::find(choice->values.begin(), choice->values.end(), value);
  return static_cast<double>(found - choice->values.begin());
}

}  // namespace

Point SearchSpace::uniform_point(Rng& rng) const {
  Point point(dimensions_.size());
  for (std::size_t i = 0; i < point.size(); ++i) {
    point[i] = prior_coordinate(dimensions_[i], rng.uniform());
  }
  settle(point);
  return point;
}

bool SearchSpace::active(const Step& step, Values values) {
  return !step.when || step.when->holds(values);
}

// Parameter sets are in the order of the file, but for those that a user wrote.
std::vector<const Value*> SearchSpace::values_of(const Params& params) const {
  const std::size_t size = parameters_.size();
  std::vector<const Value*> values(size, nullptr);
  std::size_t next = 0;
  for (const Param& param : params)
    for (std::size_t tries = 0; tries < size; ++tries) {
      const std::size_t at = (next + tries) % size;
      if (parameters_[at].name != param.name) continue;
      if (values[at] == nullptr) values[at] = &param.value;
      next = at + 1;
      break;
    }
  return values;
}

std::optional<Value> SearchSpace::recorded(std::size_t parameter, const Value& value) const {
  const Domain& domain = parameters_[parameter].domain;
  if (rule_ == ValueRule::decimal) return member_of(domain, value);
  return has_binary_member(domain, value) ? std::optional(value) : std::nullopt;
}

std::optional<Value> SearchSpace::entered(std::size_t parameter, const Value& value) const {
  const Domain& domain = parameters_[parameter].domain;
  auto member = member_of(domain, value);
  if (member && rule_ == ValueRule::binary) member = binary_member(domain, *std::move(member));
  return member;
}

Value SearchSpace::value_of(std::size_t parameter, double unit) const {
  const Domain& domain = parameters_[parameter].domain;
  Value value = value_at(domain, std::isnan(unit) ? 0.5 : unit);
  return rule_ == ValueRule::binary ? binary_member(domain, std::move(value)) : value;
}

double SearchSpace::coordinate_of(std::size_t dimension, const Value& member) const {
  const Domain& domain = parameters_[parameter_of_dimension_[dimension]].domain;
  return dimensions_[dimension].kind == Dimension::Kind::choice ? choice_coordinate(domain, member)
                                                                : unit_of(domain, member);
}

Params SearchSpace::params_at(std::span<const double> point) const {
  expect(point.size() == dimensions_.size(), "a point has a coordinate for every dimension");
  Params params;
  params.reserve(steps_.size());  // so that `values` stay where they are
  std::vector<const Value*> values(steps_.size(), nullptr);
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    const Parameter& parameter = parameters_[i];
    if (!active(step, values)) continue;
    if (step.derived) {
      auto value = step.derived->evaluate(values);
      if (!value) continue;
      params.push_back({parameter.name, *std::move(value)});
    } else if (!step.dimension) {
      params.push_back({parameter.name, value_of(i, 0.5)});
    } else {
      const double x = point[*step.dimension];
      const Dimension& dimension = dimensions_[*step.dimension];
      if (dimension.kind == Dimension::Kind::choice)
        params.push_back({parameter.name, choice_at(parameter.domain, choice_level(dimension, x))});
      else
        params.push_back({parameter.name, value_of(i, x)});
    }
    values[i] = &params.back().value;
  }
  return params;
}

std::optional<Point> SearchSpace::point_of(const Params& params) const {
  std::size_t misfit = 0;
  return locate(params, misfit);
}

std::string SearchSpace::why_outside(const Params& params) const {
  std::size_t misfit = 0;
  const auto point = locate(params, misfit);
  if (point) return feasible(*point) ? "" : "a constraint does not hold";
  const Parameter& parameter = parameters_[misfit];
  const Value* value = find(params, parameter.name);
  if (value == nullptr) return "'" + parameter.name + "' has no value";
  return "'" + parameter.name + "': " + not_a_member(parameter.domain, *value);
}

std::optional<Point> SearchSpace::locate(const Params& params, std::size_t& misfit) const {
  Point point(dimensions_.size(), inactive);
  const auto given = values_of(params);
  std::vector<Value> computed;
  computed.reserve(steps_.size());  // so that `values` stay where they are
  std::vector<const Value*> values(steps_.size(), nullptr);
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    if (!active(step, values)) continue;
    if (step.derived) {
      if (auto one = step.derived->evaluate(values))
        values[i] = &computed.emplace_back(*std::move(one));
      continue;
    }
    misfit = i;
    std::optional<Value> value;
    if (given[i] != nullptr) {
      value = recorded(i, *given[i]);
      if (!value) return std::nullopt;
    }
    if (step.dimension) {
      if (!value) return std::nullopt;
      point[*step.dimension] = coordinate_of(*step.dimension, *value);
    }
    values[i] = &computed.emplace_back(value ? *std::move(value) : value_of(i, 0.5));
  }
  return point;
}

void SearchSpace::place(const Params& given, std::span<double> point) const {
  const auto values = values_of(given);
  for (std::size_t i = 0; i < dimensions_.size(); ++i) {
    const std::size_t parameter = parameter_of_dimension_[i];
    if (values[parameter] == nullptr) continue;
    if (const auto value = recorded(parameter, *values[parameter]))
      point[i] = coordinate_of(i, *value);
  }
}

void SearchSpace::settle(std::span<double> point) const {
  expect(point.size() == dimensions_.size(), "a point has a coordinate for every dimension");
  for (std::size_t i = 0; i < point.size(); ++i) {
    const Dimension& dimension = dimensions_[i];
    if (dimension.kind == Dimension::Kind::choice)
      point[i] = static_cast<double>(choice_level(dimension, point[i]));
    else if (std::isnan(point[i]))
      point[i] = 0.5;
    if (dimension.kind == Dimension::Kind::grid) point[i] = cell(i, point[i]).middle();
  }
  if (!conditional_) return;
  const Params params = params_at(point);
  const auto values = values_of(params);
  for (std::size_t i = 0; i < point.size(); ++i)
    if (values[parameter_of_dimension_[i]] == nullptr) point[i] = inactive;
}

bool SearchSpace::feasible(std::span<const double> point) const {
  return constraints_.empty() || feasible(params_at(point));
}

bool SearchSpace::feasible(const Params& params) const {
  const auto values = values_of(params);
  return std::ranges::all_of(constraints_, [&](const Formula& constraint) {
    const bool binds = std::ranges::all_of(
        constraint.reads, [&](std::size_t index) { return values[index] != nullptr; });
    return !binds || constraint.holds(values);
  });
}

Cell SearchSpace::cell(std::size_t dimension, double unit) const {
  return cell_at(parameters_[parameter_of_dimension_[dimension]].domain, unit);
}

}  // namespace hone
