// A space prepared for search: expressions are parsed, and every free parameter has a coordinate.
//
// A point has one coordinate for every dimension:
//   real, grid  the position in [0, 1] in which the user's prior is uniform; without a prior, this
//               is the position on the parameter's scale. A grid value is at the middle of its cell
//   choice      the index of the value
//   inactive    NaN: the parameter's `when` does not hold
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

// How long make() looks for a parameter set that satisfies the constraints. The space of a new
// sweep: some tenths of a second, however long its expressions are, since the engine waits for it.
// One that a ledger holds was accepted already, perhaps after a longer search of an earlier hone.
enum class WitnessSearch : std::uint8_t { brief, thorough };

// decimal: members of stepped ranges are the numbers that people write, and values are compared by
// schemas/values/same.hpp. binary: those of sweeps before that (binary_values.hpp), compared in all
// bits.
enum class ValueRule : std::uint8_t { decimal, binary };

struct Dimension {
  enum class Kind : std::uint8_t {
    real,
    grid,    // ordered values: int, float with a step, ordered choice
    choice,  // values without order: choice, bool
  };
  std::string name;
  Kind kind = Kind::real;
  std::int64_t levels = 0;      // number of values; 0 for real
  std::vector<double> weights;  // choice: prior probabilities, which sum to 1; empty otherwise
};

// Returns the coordinate at position `unit` in [0, 1] of the dimension's prior: for a choice the
// index of the value whose interval of cumulative weights contains `unit`, else `unit` itself.
double prior_coordinate(const Dimension& dimension, double unit);

class SearchSpace {
 public:
  SearchSpace() = default;  // no parameters
  // Refuses conditions, expressions and constraints that do not parse, that read a later or unknown
  // parameter, or that no parameter set satisfies. error.at is relative to the spec
  // ("/parameters/gamma/when", "/constraints/0"). Precondition: the domains were checked when they
  // were decoded.
  static Result<SearchSpace> make(const Space& space, const std::vector<std::string>& constraints,
                                  WitnessSearch search = WitnessSearch::thorough,
                                  ValueRule rule = ValueRule::decimal);

  [[nodiscard]] std::span<const Dimension> dimensions() const { return dimensions_; }
  // Returns whether there are no conditions and no constraints, so that every point of the cube is
  // active in all dimensions and feasible.
  [[nodiscard]] bool unconditional() const { return !conditional_ && constraints_.empty(); }
  [[nodiscard]] const Space& parameters() const { return parameters_; }
  // The index in parameters() of a dimension.
  [[nodiscard]] std::size_t parameter_of(std::size_t dimension) const {
    return parameter_of_dimension_[dimension];
  }
  // What params_at() costs: one for each parameter, and for each node of an expression.
  [[nodiscard]] std::size_t evaluation_cost() const { return evaluation_cost_; }
  // The values of a parameter set by parameters(); null: absent. They belong to `params`.
  [[nodiscard]] std::vector<const Value*> values_of(const Params& params) const;

  // Returns the value of a parameter, by its index in parameters(), that a recorded value is;
  // nullopt if it is none: the history of a sweep depends on it.
  [[nodiscard]] std::optional<Value> recorded(std::size_t parameter, const Value& value) const;
  // Returns the value of a parameter that a person or another program means: 0.3 of a range with
  // steps of 0.1 under either rule. nullopt if it means none.
  [[nodiscard]] std::optional<Value> entered(std::size_t parameter, const Value& value) const;
  // Returns the parameters at a point, in file order: without inactive ones, even if the point has
  // coordinates for them, and with derived and fixed ones. NaN in an active dimension counts as 1/2
  // (for a choice: the first value).
  [[nodiscard]] Params params_at(std::span<const double> point) const;
  // Returns the point of a parameter set, or nullopt if a value is not in its domain or an active
  // free parameter is missing.
  [[nodiscard]] std::optional<Point> point_of(const Params& params) const;
  // Why a parameter set is not one of this space, for sentences: "'clip' has no value", "'lr': 3
  // is not in [0, 1]; ...", "a constraint does not hold"; empty if it is one.
  [[nodiscard]] std::string why_outside(const Params& params) const;
  // Overwrites the coordinates of the given parameters. Leaves out values outside of their domains:
  // a ledger may hold such, from a document that an older version imported.
  void place(const Params& given, std::span<double> point) const;
  // Moves every coordinate to that of its value (the middle of a grid cell), and sets inactive
  // dimensions to NaN.
  void settle(std::span<double> point) const;
  // Returns whether every constraint holds. One that reads an inactive parameter does not bind.
  [[nodiscard]] bool feasible(std::span<const double> point) const;
  [[nodiscard]] bool feasible(const Params& params) const;
  // Returns a settled point drawn from the prior, feasible or not.
  [[nodiscard]] Point uniform_point(Rng& rng) const;
  // Returns the cell of the grid value at `unit`. Precondition: a grid dimension.
  [[nodiscard]] Cell cell(std::size_t dimension, double unit) const;
  // Returns a settled feasible point, for samplers that found no other.
  [[nodiscard]] std::span<const double> witness() const { return witness_; }

 private:
  using Values = std::span<const Value* const>;  // by parameter; null: absent
  struct Formula {
    Expression expression;
    std::vector<std::size_t> reads;  // indices of parameters_, by expression.names()
    [[nodiscard]] std::optional<Value> evaluate(Values values) const;
    [[nodiscard]] bool holds(Values values) const;
  };
  struct Step {  // one parameter of the file
    std::optional<Formula> when;
    std::optional<Formula> derived;
    std::optional<std::size_t> dimension;
  };
  [[nodiscard]] static bool active(const Step& step, Values values);
  // The same as point_of; sets `misfit` to the parameter that refuses.
  [[nodiscard]] std::optional<Point> locate(const Params& params, std::size_t& misfit) const;
  [[nodiscard]] Value value_of(std::size_t parameter, double unit) const;
  [[nodiscard]] double coordinate_of(std::size_t dimension, const Value& member) const;
  [[nodiscard]] Result<Expression> parsed(const std::string& text, std::size_t before,
                                          const std::string& at,
                                          Numbers numbers = Numbers::floats) const;
  [[nodiscard]] Formula formula_of(Expression expression) const;
  [[nodiscard]] Status add_parameter(std::size_t index);
  [[nodiscard]] Status add_constraints(const std::vector<std::string>& constraints);
  [[nodiscard]] Status find_witness(WitnessSearch search);

  Space parameters_;
  std::vector<Step> steps_;  // of parameters_, in order
  std::vector<Formula> constraints_;
  std::vector<Dimension> dimensions_;
  std::vector<std::size_t> parameter_of_dimension_;
  Point witness_;
  std::size_t evaluation_cost_ = 0;
  ValueRule rule_ = ValueRule::decimal;
  bool conditional_ = false;
};

}  // namespace hone
