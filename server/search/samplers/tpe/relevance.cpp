#include "server/search/samplers/tpe/relevance.hpp"

#include <algorithm>
#include <cmath>

namespace hone {
namespace {

using Column = std::vector<double>;

constexpr double nothing_left = 1e-12;  // of the sum of squares at the start
constexpr double rounding = 1e-24;      // of it, where values were equal

double dot(const Column& a, const Column& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// What is left of equal values is 0, and no rounding error.
void center(Column& column) {
  const double before = dot(column, column);
  double mean = 0;
  for (const double x : column) mean += x / static_cast<double>(column.size());
  for (double& x : column) x -= mean;
  if (dot(column, column) < rounding * before) std::fill(column.begin(), column.end(), 0.0);
}

// Takes the part along `direction` out of `column`. What is left of a column that was nothing else
// becomes 0, so that rounding errors are never a direction.
void remove(Column& column, const Column& direction) {
  const double square = dot(direction, direction);
  if (!(square > 0)) return;
  const double before = dot(column, column), share = dot(column, direction) / square;
  for (std::size_t i = 0; i < column.size(); ++i) column[i] -= share * direction[i];
  if (dot(column, column) < nothing_left * before) std::fill(column.begin(), column.end(), 0.0);
}

double explained(const Column& direction, const Column& losses) {
  const double square = dot(direction, direction), product = dot(direction, losses);
  return square > 0 ? product * product / square : 0;
}

// A parameter's values, and of their squares what the values do not explain.
struct Pair {
  Column values, squares;
  [[nodiscard]] double worth(const Column& losses) const {
    return explained(values, losses) + explained(squares, losses);
  }
  void remove_from(Column& column) const {
    remove(column, values);
    remove(column, squares);
  }
};

std::vector<Pair> pairs_of(std::vector<Column> columns) {
  std::vector<Pair> pairs;
  for (Column& values : columns) {
    center(values);
    Column squares = values;
    for (double& x : squares) x *= x;
    center(squares);
    remove(squares, values);
    pairs.push_back({std::move(values), std::move(squares)});
  }
  return pairs;
}

}  // namespace

std::vector<std::size_t> most_relevant(std::vector<std::vector<double>> columns,
                                       std::vector<double> losses, std::size_t most) {
  std::vector<Pair> pairs = pairs_of(std::move(columns));
  center(losses);
  const double all = dot(losses, losses);
  std::vector<std::size_t> chosen;
  while (chosen.size() < std::min(most, pairs.size())) {
    std::size_t best = 0;
    double worth = nothing_left * all;
    for (std::size_t j = 0; j < pairs.size(); ++j)
      if (const double one = pairs[j].worth(losses); one > worth) best = j, worth = one;
    if (!(worth > nothing_left * all)) break;
    chosen.push_back(best);
    const Pair taken = std::move(pairs[best]);
    pairs[best] = {};  // worth nothing from here on
    taken.remove_from(losses);
    for (Pair& other : pairs) {
      if (other.values.empty()) continue;
      taken.remove_from(other.values);
      taken.remove_from(other.squares);
      remove(other.squares, other.values);
    }
  }
  return chosen;
}

}  // namespace hone
