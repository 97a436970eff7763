// A space made ready for search: expressions parsed, free parameters numbered, one coordinate each.
//
// A point has one coordinate for every dimension:
//   real, grid  the position in [0, 1] where the user's prior is uniform: scale and prior are
//   warped
//               in, so that without a prior it is the position on the scale. A grid value sits in
//               the middle of its cell
//   choice      the index of the value
// and NaN for an inactive dimension, whose `when` does not hold.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/rng.hpp"
#include "schemas/types/space.hpp"
#include "server/search/space/expression.hpp"
#include "server/search/space/space.hpp"

namespace hone {

inline constexpr double inactive = std::numeric_limits<double>::quiet_NaN();

using Point = std::vector<double>;

struct Dimension {
  enum class Kind : std::uint8_t {
    real,
    grid,    // ordered values: int, float with a step, ordered choice
    choice,  // values without order: choice, bool
  };
  std::string name;
  Kind kind = Kind::real;
  std::int64_t levels = 0;      // how many values; 0 for real
  std::vector<double> weights;  // choice: prior probabilities, which sum to 1; empty otherwise
};

class SearchSpace {
 public:
  // Refuses conditions, expressions and constraints that do not parse, read what is not named
  // before them or contradict each other, with the place relative to the spec
  // ("/parameters/gamma/when", "/constraints/0"). Precondition: the domains were checked when they
  // were decoded.
  SearchSpace() = default;  // no parameters
  static Result<SearchSpace> make(const Space& space, const std::vector<std::string>& constraints);

  [[nodiscard]] std::span<const Dimension> dimensions() const { return dimensions_; }
  // Neither conditions nor constraints: every point of the cube is active in all dimensions and
  // feasible.
  [[nodiscard]] bool unconditional() const { return !conditional_ && constraints_.empty(); }
  [[nodiscard]] const Space& parameters() const { return parameters_; }

  // The parameters at a point, in file order: inactive ones are left out whatever the point says,
  // derived and fixed ones are filled in. A NaN where the dimension is active counts as 1/2 (the
  // first choice).
  [[nodiscard]] Params params_at(std::span<const double> point) const;
  // The point of a parameter set. nullopt where a value is not in its domain or a free parameter
  // that is active is missing.
  [[nodiscard]] std::optional<Point> point_of(const Params& params) const;
  // Overwrites the coordinates of the parameters given. Precondition: their values are in their
  // domains.
  void place(const Params& given, std::span<double> point) const;
  // Snaps every coordinate to its value's own (grid cells' middles) and makes inactive dimensions
  // NaN.
  void settle(std::span<double> point) const;
  // Whether every constraint holds; one that reads an inactive parameter does not bind.
  [[nodiscard]] bool feasible(std::span<const double> point) const;
  [[nodiscard]] bool feasible(const Params& params) const;
  // A settled point drawn from the prior; it need not be feasible.
  [[nodiscard]] Point uniform_point(Rng& rng) const;
  // The cell of the grid value at `unit`. Precondition: a grid dimension.
  [[nodiscard]] Cell cell(std::size_t dimension, double unit) const;
  // A settled point known to be feasible: what a sampler falls back on when all its tries were not.
  [[nodiscard]] std::span<const double> witness() const { return witness_; }

 private:
  struct Step {  // one parameter of the file
    std::optional<Expression> when;
    std::optional<Expression> derived;
    std::optional<std::size_t> dimension;
  };
  [[nodiscard]] bool active(const Step& step, const Params& params) const;
  [[nodiscard]] Status find_witness();

  Space parameters_;
  std::vector<Step> steps_;  // of parameters_, in order
  std::vector<Expression> constraints_;
  std::vector<Dimension> dimensions_;
  std::vector<std::size_t> parameter_of_dimension_;
  Point witness_;
  bool conditional_ = false;
};

}  // namespace hone
