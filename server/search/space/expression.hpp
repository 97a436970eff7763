// The expressions of `when`, `expr` and constraints. They have no side effects and no loops: the
// cost of an expression is bounded by its length.
//
//   or      = and { ("or" | "||") and }
//   and     = not { ("and" | "&&") not }
//   not     = ("not" | "!") not | compare
//   compare = sum [ ("<" | "<=" | ">" | ">=" | "==" | "!=") sum ]
//           | sum "in" "[" or { "," or } "]"
//   sum     = product { ("+" | "-") product }
//   product = unary { ("*" | "/" | "%") unary }
//   unary   = "-" unary | primary [ "^" unary ]
//   primary = number | string | "true" | "false" | name | "`" name "`"
//           | function "(" or { "," or } ")" | "(" or ")"
//
// A name with dashes needs backquotes where a part of it is a parameter, too: `a-b` is not a - b.
//
// Functions: min max (two or more arguments), pow (two), log exp sqrt abs floor ceil round int
// (one). int cuts the fraction off.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "schemas/types/space.hpp"

namespace hone {

// typed: `+ - * % ^ min max abs` of ints and every floor, ceil, round and int are ints, as long as
// they are exact (2^53); `/` never is. floats: every computed number is a float.
enum class Numbers : std::uint8_t { floats, typed };

// rounded: numbers that differ by rounding alone are the same (schemas/values/same.hpp), so that
// `d + e == 0.3` holds for 0.1 and 0.2. exact: as in sweeps before that rule.
enum class Comparison : std::uint8_t { rounded, exact };

class Expression {
 public:
  // Refuses with the column and what was expected there. At most 1000 characters, and 64 levels of
  // nesting.
  // `parameters` are those whose names with dashes may stand without backquotes.
  static Result<Expression> parse(std::string_view text, Numbers numbers = Numbers::floats,
                                  Comparison comparison = Comparison::rounded,
                                  std::span<const Parameter> parameters = {});

  // Returns the value, or nullopt if the expression reads an absent parameter or is undefined (1/0,
  // "a" < 2).
  [[nodiscard]] std::optional<Value> evaluate(const Params& params) const;
  // The same with the values of names(), in their order; null: absent. Takes as long as the
  // expression has nodes, however many parameters there are.
  [[nodiscard]] std::optional<Value> evaluate_at(std::span<const Value* const> values) const;
  // Returns whether the expression evaluates to true. Absent and undefined values do not hold.
  [[nodiscard]] bool holds(const Params& params) const;

  // The parameters that it reads, in order of first appearance.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  // The number of its operations, constants and names: what an evaluation costs.
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }

 private:
  friend class ExpressionParser;
  enum class Kind : std::uint8_t {
    constant,
    name,
    negate,
    logical_not,
    logical_and,
    logical_or,
    add,
    subtract,
    multiply,
    divide,
    modulo,
    power,
    less,
    less_equal,
    greater,
    greater_equal,
    equal,
    not_equal,
    in,
    min,
    max,
    log,
    exp,
    sqrt,
    abs,
    floor,
    ceil,
    round,
    truncate,
  };
  struct Node {
    Kind kind;
    Value constant{};               // constant
    std::size_t name = 0;           // index into names_
    std::vector<std::size_t> args;  // indices of nodes; all smaller than this node's
  };
  using Values = std::span<const Value* const>;
  [[nodiscard]] std::optional<Value> evaluate(std::size_t node, Values values) const;
  [[nodiscard]] std::optional<Value> logic(const Node& node, Values values) const;
  [[nodiscard]] std::optional<Value> relation(Kind kind, const std::vector<Value>& args) const;
  [[nodiscard]] std::optional<Value> arithmetic(Kind kind, const std::vector<double>& x) const;
  static bool makes_int(Kind kind, const std::vector<Value>& args);
  [[nodiscard]] bool equal(const Value& a, const Value& b) const;
  [[nodiscard]] double whole_part(double value) const;
  [[nodiscard]] double remainder(double x, double y) const;

  std::vector<Node> nodes_;  // the last is the root
  std::vector<std::string> names_;
  Numbers numbers_ = Numbers::floats;
  Comparison comparison_ = Comparison::rounded;
};

}  // namespace hone
