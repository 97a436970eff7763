// Population-based training (Jaderberg et al., arXiv 1711.09846): members train in parallel; at its
// ready points each compares itself with the others (exploit), and a poor one continues from the
// checkpoint of a better one, with parameters that differ a little from that one's (explore).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/rng.hpp"
#include "schemas/types/value.hpp"
#include "server/search/space/search_space.hpp"

namespace hone {

struct SearchSpec;

// How a member chooses whom to follow.
enum class Exploit : std::uint8_t {
  truncation,  // one of the best share follows for one of the poorest share
  t_test,      // another, drawn at random, if its mean is significantly better (Welch, 5 %)
};

struct Population {
  std::int64_t size = 0;
  Exploit exploit = Exploit::truncation;
  double quantile = 0.2;   // truncation: the share of the poorest, and of the best
  int window = 10;         // t_test: the newest reports of a member that are compared
  int ready = 1;           // phases between two ready points of a member
  double resample = 0.25;  // probability that a parameter is drawn from its prior
  std::vector<double> perturb{0.8, 1.2};  // else a number is multiplied by one of these
  friend bool operator==(const Population&, const Population&) = default;
};

// Reads the settings of `search: {method: pbt, ...}`, or pb2; error.at is relative to the spec.
Result<Population> read_population(const SearchSpec& search);

// Returns the parameters of a fork of a run with the parameters `of`: each free parameter in
// `changeable` is drawn from its prior with probability `resample`; else a number is multiplied by
// one of the factors and cut off at its bounds (one with steps moves at least one step), an ordered
// choice moves to a neighbour, and any other stays. All other parameters stay: a move from which a
// change of a derived or conditional one that is not in `changeable` follows is left out. Returns
// `of` if no draw satisfies the constraints.
Params explore(const SearchSpace& space, const Params& of, std::span<const std::string> changeable,
               const Population& population, Rng rng);

// Returns the parameters of a fork of such a run that moves to the first of `points` that satisfies
// the constraints, without the moves from which a change follows that `changeable` does not allow;
// nullopt if none of them does.
std::optional<Params> forked_to(const SearchSpace& space, const Params& of,
                                std::span<const std::string> changeable,
                                std::span<const Point> points);

}  // namespace hone
