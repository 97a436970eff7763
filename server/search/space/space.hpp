// One coordinate of a space: between the unit interval, where the user's prior is uniform, and the
// values of the domain.
#pragma once

#include <cstdint>
#include <optional>

#include "schemas/types/space.hpp"

namespace hone {

struct Cell {  // the part of [0, 1] that one grid value owns
  double low = 0;
  double high = 1;
  [[nodiscard]] double middle() const { return (low + high) / 2; }
};

// The value at position `unit` in [0, 1) of the domain: the inverse of the cumulative distribution
// that the domain's type, scale and prior mean. Without a prior, uniform `unit` gives
//   float   linear: uniform; log: log-uniform; logit: logit-uniform; with a step, linear: every
//   grid
//           value equally likely, else each grid value its share of the unquantized interval
//   int     linear: every value equally likely; log: quantized log-uniform on
//           [min - 1/2, max + 1/2), min >= 1
//   choice  by weights, else every value equally likely; bool: both equally likely
//   fixed   the value
// A prior bends this to a normal distribution on the scale, cut off at the bounds; a twentieth is
// spread evenly, so that a mistaken prior puts nothing out of reach. Precondition: not a derived
// domain.
Value value_at(const Domain& domain, double unit);

// Where `value` lies: the middle of its cell, or the position that value_at inverts. nullopt where
// the domain does not contain it.
std::optional<double> unit_of(const Domain& domain, const Value& value);

// How many values a domain has; 0 for a continuous one.
std::int64_t levels(const Domain& domain);

// The cell of the grid value that value_at gives for `unit`. Precondition: levels(domain) > 0.
Cell cell_at(const Domain& domain, double unit);

// Whether `value` is one that value_at could return.
bool contains(const Domain& domain, const Value& value);

// The standard normal distribution and its inverse (Acklam's approximation and one step of Halley's
// method: relative error below 1e-14). Precondition of the inverse: 0 < p < 1.
double normal_cdf(double x);
double normal_quantile(double p);

}  // namespace hone
