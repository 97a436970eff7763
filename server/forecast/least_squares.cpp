#include "server/forecast/least_squares.hpp"

#include <algorithm>
#include <cmath>

#include "base/expect.hpp"

namespace hone::forecast {
namespace {

// Columns of a design, one after the other, for the reflections.
class Columns {
 public:
  Columns(const Design& design, std::span<const std::size_t> chosen)
      : rows_(design.rows()), targets_(design.targets) {
    for (const std::size_t column : chosen) {
      std::vector<double> values(rows_);
      for (std::size_t i = 0; i < rows_; ++i) values[i] = design.row(i)[column];
      columns_.push_back(std::move(values));
    }
  }

  std::vector<double> solve() {
    const std::size_t count = columns_.size();
    std::vector<std::size_t> pivots;  // the columns that are independent
    for (std::size_t j = 0; j < count && pivots.size() < rows_; ++j)
      if (reflect(j, pivots.size())) pivots.push_back(j);
    std::vector<double> x(count, 0);
    for (std::size_t k = pivots.size(); k-- > 0;) {
      double sum = targets_[k];
      for (std::size_t l = k + 1; l < pivots.size(); ++l)
        sum -= columns_[pivots[l]][k] * x[pivots[l]];
      x[pivots[k]] = sum / columns_[pivots[k]][k];
    }
    return x;
  }

 private:
  // Zeroes column j below row k in all later columns and the targets. False if it has nothing left
  // there.
  bool reflect(std::size_t j, std::size_t k) {
    constexpr double tiny = 1e-12;
    std::vector<double>& column = columns_[j];
    double whole = 0, below = 0;
    for (std::size_t i = 0; i < rows_; ++i) {
      whole += column[i] * column[i];
      if (i >= k) below += column[i] * column[i];
    }
    if (!(below > whole * tiny * tiny) || below == 0) return false;
    const double length = column[k] > 0 ? -std::sqrt(below) : std::sqrt(below);
    std::vector<double> v(column.begin() + static_cast<std::ptrdiff_t>(k), column.end());
    v[0] -= length;
    double square = 0;
    for (const double value : v) square += value * value;
    const auto apply = [&](std::vector<double>& values) {
      double dot = 0;
      for (std::size_t i = 0; i < v.size(); ++i) dot += v[i] * values[k + i];
      for (std::size_t i = 0; i < v.size(); ++i) values[k + i] -= 2 * dot / square * v[i];
    };
    for (std::size_t l = j; l < columns_.size(); ++l) apply(columns_[l]);
    apply(targets_);
    return true;
  }

  std::size_t rows_;
  std::vector<double> targets_;
  std::vector<std::vector<double>> columns_;
};

std::vector<double> solve_for(const Design& design, std::span<const std::size_t> chosen) {
  const auto part = Columns(design, chosen).solve();
  std::vector<double> x(design.columns, 0);
  for (std::size_t k = 0; k < chosen.size(); ++k) x[chosen[k]] = part[k];
  return x;
}

// Half the descent of the squared error along each column.
std::vector<double> descent(const Design& design, const std::vector<double>& x) {
  std::vector<double> sums(design.columns, 0);
  for (std::size_t i = 0; i < design.rows(); ++i) {
    const auto line = design.row(i);
    double left = design.targets[i];
    for (std::size_t j = 0; j < line.size(); ++j) left -= line[j] * x[j];
    for (std::size_t j = 0; j < line.size(); ++j) sums[j] += line[j] * left;
  }
  return sums;
}

std::vector<double> column_norms(const Design& design) {
  std::vector<double> norms(design.columns, 0);
  for (std::size_t i = 0; i < design.rows(); ++i)
    for (std::size_t j = 0; j < design.columns; ++j)
      norms[j] += design.row(i)[j] * design.row(i)[j];
  for (double& norm : norms) norm = std::sqrt(norm);
  return norms;
}

// Moves x towards the solution for the passive columns until none of them is negative; columns that
// reach 0 leave the set.
void settle(const Design& design, std::vector<bool>& passive, std::vector<double>& x) {
  for (std::size_t round = 0; round <= design.columns; ++round) {
    std::vector<std::size_t> chosen;
    for (std::size_t j = 0; j < design.columns; ++j)
      if (passive[j]) chosen.push_back(j);
    const auto wanted = solve_for(design, chosen);
    double step = 1;
    for (const std::size_t j : chosen)
      if (wanted[j] <= 0) step = std::min(step, x[j] / std::max(x[j] - wanted[j], 1e-300));
    for (const std::size_t j : chosen) x[j] += step * (wanted[j] - x[j]);
    bool dropped = false;
    for (const std::size_t j : chosen)
      if (wanted[j] <= 0 && x[j] <= 1e-14 * (1 + std::abs(wanted[j]))) {
        x[j] = 0;
        passive[j] = false;
        dropped = true;
      }
    if (!dropped) return;
  }
}

struct Standard {
  std::vector<double> means, deviations;
  double target_mean = 0;
};

Standard standard_of(const Design& design) {
  const auto count = static_cast<double>(design.rows());
  Standard standard{std::vector<double>(design.columns, 0), std::vector<double>(design.columns, 0)};
  for (std::size_t i = 0; i < design.rows(); ++i) {
    standard.target_mean += design.targets[i] / count;
    for (std::size_t j = 0; j < design.columns; ++j) standard.means[j] += design.row(i)[j] / count;
  }
  for (std::size_t i = 0; i < design.rows(); ++i)
    for (std::size_t j = 0; j < design.columns; ++j) {
      const double off = design.row(i)[j] - standard.means[j];
      standard.deviations[j] += off * off / count;
    }
  for (std::size_t j = 0; j < design.columns; ++j) {
    standard.deviations[j] = std::sqrt(standard.deviations[j]);
    if (standard.deviations[j] < 1e-12 * (1 + std::abs(standard.means[j])))
      standard.deviations[j] = 0;
  }
  return standard;
}

double shrunk(double value, double by) {
  return value > by ? value - by : value < -by ? value + by : 0;
}

// Coordinate descent on the Gram matrix of standardised columns.
std::vector<double> descend(const std::vector<double>& gram, const std::vector<double>& product,
                            double penalty) {
  constexpr int rounds_max = 10'000;  // it converges in hundreds; the bound is for hostile data
  const std::size_t columns = product.size();
  std::vector<double> x(columns, 0);
  for (int round = 0; round < rounds_max; ++round) {
    double moved = 0;
    for (std::size_t j = 0; j < columns; ++j) {
      if (gram[j * columns + j] == 0) continue;
      double rest = product[j];
      for (std::size_t l = 0; l < columns; ++l)
        if (l != j) rest -= gram[j * columns + l] * x[l];
      const double next = shrunk(rest, penalty) / gram[j * columns + j];
      moved = std::max(moved, std::abs(next - x[j]));
      x[j] = next;
    }
    if (moved < 1e-9) break;
  }
  return x;
}

}  // namespace

void Design::add(std::span<const double> line, double target, double weight) {
  expect(line.size() == columns, "a row of a design has a value for every column");
  for (const double value : line) terms.push_back(value * weight);
  targets.push_back(target * weight);
}

std::vector<double> least_squares(const Design& design) {
  std::vector<std::size_t> all(design.columns);
  for (std::size_t j = 0; j < all.size(); ++j) all[j] = j;
  return solve_for(design, all);
}

std::vector<double> nonnegative_least_squares(const Design& design) {
  std::vector<double> x(design.columns, 0);
  std::vector<bool> passive(design.columns, false);
  const auto norms = column_norms(design);
  double size = 0;
  for (const double target : design.targets) size += target * target;
  size = std::sqrt(size);
  // Every round lowers the error, so that no set of columns returns; the bound is for rounding.
  for (std::size_t round = 0; round < 3 * design.columns + 10; ++round) {
    const auto gain = descent(design, x);
    std::size_t best = design.columns;
    double most = 1e-11;
    for (std::size_t j = 0; j < design.columns; ++j) {
      if (passive[j] || norms[j] == 0 || size == 0) continue;
      if (const double share = gain[j] / (norms[j] * size); share > most) {
        most = share;
        best = j;
      }
    }
    if (best == design.columns) break;
    passive[best] = true;
    settle(design, passive, x);
  }
  return x;
}

double LassoFit::at(std::span<const double> line) const {
  double sum = intercept;
  for (std::size_t j = 0; j < coefficients.size(); ++j) sum += coefficients[j] * line[j];
  return sum;
}

LassoFit lasso(const Design& design, double penalty) {
  const Standard standard = standard_of(design);
  const std::size_t columns = design.columns;
  const auto count = static_cast<double>(design.rows());
  std::vector<double> gram(columns * columns, 0), product(columns, 0), line(columns, 0);
  for (std::size_t i = 0; i < design.rows(); ++i) {
    for (std::size_t j = 0; j < columns; ++j)
      line[j] = standard.deviations[j] == 0
                    ? 0
                    : (design.row(i)[j] - standard.means[j]) / standard.deviations[j];
    for (std::size_t j = 0; j < columns; ++j) {
      product[j] += line[j] * (design.targets[i] - standard.target_mean) / count;
      for (std::size_t l = 0; l < columns; ++l) gram[j * columns + l] += line[j] * line[l] / count;
    }
  }
  LassoFit fit{standard.target_mean, descend(gram, product, penalty)};
  for (std::size_t j = 0; j < columns; ++j) {
    if (standard.deviations[j] != 0) fit.coefficients[j] /= standard.deviations[j];
    fit.intercept -= fit.coefficients[j] * standard.means[j];
  }
  return fit;
}

double squared_error(const Design& design, std::span<const double> x) {
  double sum = 0;
  for (std::size_t i = 0; i < design.rows(); ++i) {
    double left = design.targets[i];
    for (std::size_t j = 0; j < design.columns; ++j) left -= design.row(i)[j] * x[j];
    sum += left * left;
  }
  return sum;
}

}  // namespace hone::forecast
