// The small arithmetic grammar of `when` conditions. No code, no side effects, no loops: an
// expression is bounded by its own length.
//
//   or      = and { ("or" | "||") and }             compare = sum [ ("<"|"<="|">"|">="|"=="|"!=")
//   sum ] and     = not { ("and" | "&&") not }                    | sum "in" "[" or { "," or } "]"
//   not     = ("not" | "!") not | compare           sum     = product { ("+"|"-") product }
//   primary = number | string | true | false        product = unary { ("*"|"/"|"%") unary }
//           | name | function "(" or { "," or } ")" unary   = "-" unary | primary [ "^" unary ]
//           | "(" or ")"
// Functions: min max (two or more), pow (two), log exp sqrt abs floor ceil round (one).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "schemas/types/value.hpp"

namespace hone {

class Expression {
 public:
  // Refuses with the column and what was expected there. At most 1000 characters, nested at most 64
  // deep.
  static Result<Expression> parse(std::string_view text);

  // nullopt where the expression reads an absent parameter or has no value (1/0, "a" < 2).
  [[nodiscard]] std::optional<Value> evaluate(const Params& params) const;
  // Whether a condition holds: evaluates to true. Absent and undefined do not hold.
  [[nodiscard]] bool holds(const Params& params) const;

  // The parameters it reads, in order of first appearance.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

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
  };
  struct Node {
    Kind kind;
    Value constant{};               // constant
    std::size_t name = 0;           // index into names_
    std::vector<std::size_t> args;  // indices of nodes; all smaller than this node's
  };
  [[nodiscard]] std::optional<Value> evaluate(std::size_t node, const Params& params) const;
  [[nodiscard]] std::optional<Value> logic(const Node& node, const Params& params) const;
  static std::optional<Value> relation(Kind kind, const std::vector<Value>& args);
  static std::optional<Value> arithmetic(Kind kind, const std::vector<double>& x);

  std::vector<Node> nodes_;  // the last is the root
  std::vector<std::string> names_;
};

}  // namespace hone
