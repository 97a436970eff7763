// One coordinate of a space: maps the unit interval, in which the user's prior is uniform, to the
// values of a domain, and back.
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

// Returns the value at position `unit` in [0, 1) of the domain: the inverse of the cumulative
// distribution that the domain's type, scale and prior define. Without a prior, a uniform `unit`
// gives
//
//   float   linear: uniform; log: log-uniform; logit: logit-uniform. With a step, linear: every
//           grid value (schemas/values/member.hpp) equally likely; with a step, other scales: each
//           grid value has its share of the unquantized interval
//   int     linear: every value equally likely; log: quantized log-uniform on
//           [min - 1/2, max + 1/2), min >= 1
//   choice  by weights, else every value equally likely
//   bool    both values equally likely
//   fixed   the value
//
// A prior turns this into a normal distribution on the scale, truncated at the bounds; a twentieth
// of it is spread evenly, so that a mistaken prior puts no value out of reach. Precondition: not a
// derived domain.
Value value_at(const Domain& domain, double unit);

// Returns the position of a member of the domain (schemas/values/member.hpp): the middle of its
// cell, or the position at which value_at returns it.
double unit_of(const Domain& domain, const Value& member);

// Returns the number of values of a domain; 0 for a continuous one.
std::int64_t levels(const Domain& domain);

// Returns the cell of the grid value that value_at returns for `unit`. Precondition:
// levels(domain) > 0.
Cell cell_at(const Domain& domain, double unit);

// The cumulative standard normal distribution and its inverse (Acklam's approximation and one step
// of Halley's method; relative error below 1e-14). Precondition of the inverse: 0 < p < 1.
double normal_cdf(double x);
double normal_quantile(double p);

}  // namespace hone
