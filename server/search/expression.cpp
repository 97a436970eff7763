#include "server/search/expression.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "schemas/types/expect.hpp"

namespace hone {
namespace {

constexpr std::size_t length_max = 1000;  // a condition that is longer is a program
constexpr int depth_max = 64;             // the recursion of parser and evaluator

bool starts_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool digit(char c) { return c >= '0' && c <= '9'; }
bool goes_on_name(char c) { return starts_name(c) || digit(c) || c == '.'; }

std::optional<double> number(const Value& value) {
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  return std::nullopt;
}

// Numbers compare as numbers (1 == 1.0); other kinds only with their own.
bool same(const Value& a, const Value& b) {
  const auto x = number(a);
  const auto y = number(b);
  if (x && y) return *x == *y;
  return a == b;
}

std::optional<Value> finite(double value) {
  if (!std::isfinite(value)) return std::nullopt;
  return Value{value};
}

}  // namespace

class ExpressionParser {
 public:
  explicit ExpressionParser(std::string_view text) : text_(text) {}

  Result<Expression> parse() {
    if (text_.size() > length_max)
      return refuse(Code::invalid, "an expression has at most 1000 characters");
    disjunction();
    skip_blanks();
    if (at_ < text_.size()) fail("an operator or the end");
    if (!error_.empty()) return refuse(Code::invalid, error_);
    return std::move(out_);
  }

 private:
  using Kind = Expression::Kind;

  std::size_t disjunction() {
    if (++depth_ > depth_max) fail("less nesting (64 levels at most)");
    std::size_t left = error_.empty() ? conjunction() : 0;
    while (word("or") || symbol("||")) left = node(Kind::logical_or, {left, conjunction()});
    --depth_;
    return left;
  }

  std::size_t conjunction() {
    std::size_t left = negation();
    while (word("and") || symbol("&&")) left = node(Kind::logical_and, {left, negation()});
    return left;
  }

  std::size_t negation() {
    bool negated = false;
    while (word("not") || (!peeks("!=") && symbol("!"))) negated = !negated;
    const std::size_t operand = comparison();
    return negated ? node(Kind::logical_not, {operand}) : operand;
  }

  std::size_t comparison() {
    const std::size_t left = sum();
    struct Operator {
      std::string_view text;
      Kind kind;
    };
    static constexpr std::array operators{
        Operator{"<=", Kind::less_equal}, Operator{">=", Kind::greater_equal},
        Operator{"==", Kind::equal},      Operator{"!=", Kind::not_equal},
        Operator{"<", Kind::less},        Operator{">", Kind::greater}};
    for (const auto& op : operators)
      if (symbol(op.text)) return node(op.kind, {left, sum()});
    if (!word("in")) return left;
    if (!symbol("[")) fail("'[' after 'in'");
    std::vector<std::size_t> args{left};
    arguments(args, "]");
    return node(Kind::in, std::move(args));
  }

  std::size_t sum() {
    std::size_t left = product();
    for (;;) {
      if (symbol("+"))
        left = node(Kind::add, {left, product()});
      else if (symbol("-"))
        left = node(Kind::subtract, {left, product()});
      else
        return left;
    }
  }

  std::size_t product() {
    std::size_t left = unary();
    for (;;) {
      if (symbol("*"))
        left = node(Kind::multiply, {left, unary()});
      else if (symbol("/"))
        left = node(Kind::divide, {left, unary()});
      else if (symbol("%"))
        left = node(Kind::modulo, {left, unary()});
      else
        return left;
    }
  }

  std::size_t unary() {
    if (++depth_ > depth_max) fail("less nesting (64 levels at most)");
    std::size_t result = 0;
    if (!error_.empty()) {
      result = 0;
    } else if (symbol("-")) {
      result = node(Kind::negate, {unary()});
    } else {
      result = primary();
      if (symbol("^")) result = node(Kind::power, {result, unary()});
    }
    --depth_;
    return result;
  }

  std::size_t primary() {
    skip_blanks();
    if (!error_.empty() || at_ >= text_.size()) return fail("a value");
    const char c = text_[at_];
    if (digit(c) || c == '.') return literal_number();
    if (c == '\'' || c == '"') return literal_string(c);
    if (symbol("(")) {
      const std::size_t inside = disjunction();
      if (!symbol(")")) fail("')'");
      return inside;
    }
    if (starts_name(c)) return name_or_call();
    return fail("a value");
  }

  std::size_t literal_number() {
    double value = 0;
    const auto [end, code] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (code != std::errc{}) return fail("a number");
    at_ = static_cast<std::size_t>(end - text_.data());
    return constant(value);
  }

  std::size_t literal_string(char quote) {
    const auto end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) return fail("the closing quote");
    std::string value(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return constant(std::move(value));
  }

  std::size_t name_or_call() {
    std::size_t end = at_;
    while (end < text_.size() && goes_on_name(text_[end])) ++end;
    const std::string_view name = text_.substr(at_, end - at_);
    at_ = end;
    if (name == "true" || name == "false") return constant(name == "true");
    if (symbol("(")) return call(name);
    return variable(name);
  }

  std::size_t call(std::string_view name) {
    struct Function {
      std::string_view name;
      Kind kind;
      std::size_t args_min, args_max;
    };
    static constexpr std::array functions{
        Function{"min", Kind::min, 2, 64},  Function{"max", Kind::max, 2, 64},
        Function{"pow", Kind::power, 2, 2}, Function{"log", Kind::log, 1, 1},
        Function{"exp", Kind::exp, 1, 1},   Function{"sqrt", Kind::sqrt, 1, 1},
        Function{"abs", Kind::abs, 1, 1},   Function{"floor", Kind::floor, 1, 1},
        Function{"ceil", Kind::ceil, 1, 1}, Function{"round", Kind::round, 1, 1}};
    const auto found = std::find_if(functions.begin(), functions.end(),
                                    [&](const Function& f) { return f.name == name; });
    if (found == functions.end())
      return fail("a function (min max pow log exp sqrt abs floor ceil round)");
    std::vector<std::size_t> args;
    arguments(args, ")");
    if (args.size() < found->args_min || args.size() > found->args_max)
      return fail("another number of arguments to " + std::string(name) + "()");
    return node(found->kind, std::move(args));
  }

  void arguments(std::vector<std::size_t>& args, std::string_view close) {
    do args.push_back(disjunction());
    while (error_.empty() && symbol(","));
    if (!symbol(close)) fail("',' or '" + std::string(close) + "'");
  }

  std::size_t variable(std::string_view name) {
    auto& names = out_.names_;
    auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) found = names.insert(names.end(), std::string(name));
    const std::size_t index = node(Kind::name, {});
    out_.nodes_[index].name = static_cast<std::size_t>(found - names.begin());
    return index;
  }

  std::size_t constant(Value value) {
    const std::size_t index = node(Kind::constant, {});
    out_.nodes_[index].constant = std::move(value);
    return index;
  }

  std::size_t node(Kind kind, std::vector<std::size_t> args) {
    out_.nodes_.push_back({kind, {}, 0, std::move(args)});
    return out_.nodes_.size() - 1;
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n'))
      ++at_;
  }

  bool peeks(std::string_view wanted) {
    skip_blanks();
    return error_.empty() && text_.substr(at_).starts_with(wanted);
  }

  bool symbol(std::string_view wanted) {
    if (!peeks(wanted)) return false;
    at_ += wanted.size();
    return true;
  }

  bool word(std::string_view wanted) {
    if (!peeks(wanted)) return false;
    const std::size_t end = at_ + wanted.size();
    if (end < text_.size() && goes_on_name(text_[end])) return false;
    at_ = end;
    return true;
  }

  // Keeps the first failure; returns a node so that callers need no branch.
  std::size_t fail(const std::string& expected) {
    if (error_.empty())
      error_ = "in \"" + std::string(text_.substr(0, 80)) + "\" at column " +
               std::to_string(at_ + 1) + ": expected " + expected;
    return 0;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::string error_;
  Expression out_;
};

Result<Expression> Expression::parse(std::string_view text) {
  return ExpressionParser(text).parse();
}

bool Expression::holds(const Params& params) const {
  const auto value = evaluate(params);
  const auto* truth = value ? std::get_if<bool>(&*value) : nullptr;
  return truth != nullptr && *truth;
}

std::optional<Value> Expression::evaluate(const Params& params) const {
  return evaluate(nodes_.size() - 1, params);
}

namespace {

template <class Compare>
std::optional<Value> compare(const Value& a, const Value& b, Compare less) {
  const auto x = number(a);
  const auto y = number(b);
  if (x && y) return Value{less(*x, *y)};
  const auto* s = std::get_if<std::string>(&a);
  const auto* t = std::get_if<std::string>(&b);
  if (s != nullptr && t != nullptr) return Value{less(s->compare(*t), 0)};
  return std::nullopt;
}

}  // namespace

// and, or and not need no number; and/or stop at the first operand that settles them.
std::optional<Value> Expression::logic(const Node& node, const Params& params) const {
  const auto first = evaluate(node.args[0], params);
  const auto* truth = first ? std::get_if<bool>(&*first) : nullptr;
  if (truth == nullptr) return std::nullopt;
  if (node.kind == Kind::logical_not) return Value{!*truth};
  if (*truth == (node.kind == Kind::logical_or)) return *truth;
  auto second = evaluate(node.args[1], params);
  if (!second || !std::holds_alternative<bool>(*second)) return std::nullopt;
  return second;
}

std::optional<Value> Expression::evaluate(std::size_t index, const Params& params) const {
  const Node& node = nodes_[index];
  if (node.kind == Kind::constant) return node.constant;
  if (node.kind == Kind::name) {
    const Value* value = find(params, names_[node.name]);
    return value == nullptr ? std::nullopt : std::optional(*value);
  }
  if (node.kind == Kind::logical_and || node.kind == Kind::logical_or ||
      node.kind == Kind::logical_not)
    return logic(node, params);

  std::vector<Value> args;
  for (const std::size_t arg : node.args) {
    auto value = evaluate(arg, params);
    if (!value) return std::nullopt;
    args.push_back(std::move(*value));
  }
  switch (node.kind) {
    case Kind::equal:
      return Value{same(args[0], args[1])};
    case Kind::not_equal:
      return Value{!same(args[0], args[1])};
    case Kind::in:
      return Value{std::any_of(args.begin() + 1, args.end(),
                               [&](const Value& one) { return same(one, args[0]); })};
    case Kind::less:
      return compare(args[0], args[1], [](auto a, auto b) { return a < b; });
    case Kind::less_equal:
      return compare(args[0], args[1], [](auto a, auto b) { return a <= b; });
    case Kind::greater:
      return compare(args[0], args[1], [](auto a, auto b) { return a > b; });
    case Kind::greater_equal:
      return compare(args[0], args[1], [](auto a, auto b) { return a >= b; });
    default:
      break;
  }
  std::vector<double> x;
  for (const Value& arg : args) {
    const auto one = number(arg);
    if (!one) return std::nullopt;
    x.push_back(*one);
  }
  switch (node.kind) {
    case Kind::negate:
      return finite(-x[0]);
    case Kind::add:
      return finite(x[0] + x[1]);
    case Kind::subtract:
      return finite(x[0] - x[1]);
    case Kind::multiply:
      return finite(x[0] * x[1]);
    case Kind::divide:
      return finite(x[0] / x[1]);
    case Kind::modulo:
      return finite(x[0] - x[1] * std::floor(x[0] / x[1]));
    case Kind::power:
      return finite(std::pow(x[0], x[1]));
    case Kind::min:
      return finite(*std::min_element(x.begin(), x.end()));
    case Kind::max:
      return finite(*std::max_element(x.begin(), x.end()));
    case Kind::log:
      return finite(std::log(x[0]));
    case Kind::exp:
      return finite(std::exp(x[0]));
    case Kind::sqrt:
      return finite(std::sqrt(x[0]));
    case Kind::abs:
      return finite(std::abs(x[0]));
    case Kind::floor:
      return finite(std::floor(x[0]));
    case Kind::ceil:
      return finite(std::ceil(x[0]));
    case Kind::round:
      return finite(std::round(x[0]));
    default:
      unreachable();
  }
}

}  // namespace hone
