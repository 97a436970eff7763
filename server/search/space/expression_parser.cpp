#include <algorithm>
#include <array>
#include <charconv>

#include "base/ascii.hpp"
#include "server/search/space/expression.hpp"

namespace hone {
namespace {

constexpr std::size_t expression_length_max = 1000;  // a longer condition is a program
constexpr int expression_depth_max = 64;             // bounds the recursion of parser and evaluator

bool starts_name(char c) { return is_letter(c) || c == '_'; }
bool continues_name(char c) { return starts_name(c) || is_digit(c) || c == '.'; }

}  // namespace

class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, Numbers numbers, Comparison comparison,
                   std::span<const Parameter> parameters)
      : text_(text), parameters_(parameters) {
    out_.numbers_ = numbers;
    out_.comparison_ = comparison;
  }

  Result<Expression> parse() {
    if (text_.size() > expression_length_max)
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
    if (++depth_ > expression_depth_max) fail("less nesting (64 levels at most)");
    std::size_t left = error_.empty() ? conjunction() : 0;
    while (keyword("or") || symbol("||")) left = node(Kind::logical_or, {left, conjunction()});
    --depth_;
    return left;
  }

  std::size_t conjunction() {
    std::size_t left = negation();
    while (keyword("and") || symbol("&&")) left = node(Kind::logical_and, {left, negation()});
    return left;
  }

  std::size_t negation() {
    bool negated = false;
    while (keyword("not") || (!peeks("!=") && symbol("!"))) negated = !negated;
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
    if (!keyword("in")) return left;
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
    if (++depth_ > expression_depth_max) fail("less nesting (64 levels at most)");
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
    if (is_digit(c) || c == '.') return literal_number();
    if (c == '\'' || c == '"') return literal_string(c);
    if (c == '`') return quoted_name();
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
    const std::string_view digits =
        text_.substr(at_, static_cast<std::size_t>(end - text_.data()) - at_);
    at_ += digits.size();
    std::int64_t whole = 0;
    const auto [stop, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), whole);
    const bool is_int = fault == std::errc{} && stop == digits.data() + digits.size();
    return is_int && out_.numbers_ == Numbers::typed ? constant(whole) : constant(value);
  }

  std::size_t literal_string(char quote) {
    const auto end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) return fail("the closing quote");
    std::string value(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return constant(std::move(value));
  }

  std::size_t quoted_name() {
    const auto end = text_.find('`', at_ + 1);
    if (end == std::string_view::npos) return fail("the closing `");
    const std::string_view name = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return variable(name);
  }

  bool is_parameter(std::string_view name) const {
    return std::ranges::find(parameters_, name, &Parameter::name) != parameters_.end();
  }

  // The longest parameter name that begins here, of those with dashes: batch-size, unless batch is
  // a parameter itself.
  std::string_view with_dashes(std::string_view name) const {
    if (is_parameter(name)) return name;
    const std::string_view rest = text_.substr(at_);
    for (const Parameter& parameter : parameters_) {
      const std::size_t size = parameter.name.size();
      const bool ends = size >= rest.size() || !continues_name(rest[size]);
      if (size > name.size() && rest.starts_with(parameter.name) && ends)
        name = rest.substr(0, size);
    }
    return name;
  }

  std::size_t name_or_call() {
    std::size_t end = at_;
    while (end < text_.size() && continues_name(text_[end])) ++end;
    const std::string_view name = with_dashes(text_.substr(at_, end - at_));
    at_ += name.size();
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
        Function{"min", Kind::min, 2, 64},    Function{"max", Kind::max, 2, 64},
        Function{"pow", Kind::power, 2, 2},   Function{"log", Kind::log, 1, 1},
        Function{"exp", Kind::exp, 1, 1},     Function{"sqrt", Kind::sqrt, 1, 1},
        Function{"abs", Kind::abs, 1, 1},     Function{"floor", Kind::floor, 1, 1},
        Function{"ceil", Kind::ceil, 1, 1},   Function{"round", Kind::round, 1, 1},
        Function{"int", Kind::truncate, 1, 1}};
    const auto found = std::find_if(functions.begin(), functions.end(),
                                    [&](const Function& f) { return f.name == name; });
    if (found == functions.end())
      return fail("a function (min max pow log exp sqrt abs floor ceil round int)");
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

  bool keyword(std::string_view wanted) {
    if (!peeks(wanted)) return false;
    const std::size_t end = at_ + wanted.size();
    if (end < text_.size() && continues_name(text_[end])) return false;
    at_ = end;
    return true;
  }

  // Records the first failure. Returns a node, so that callers need no branch.
  std::size_t fail(const std::string& expected) {
    if (error_.empty())
      error_ = "in \"" + std::string(text_.substr(0, 80)) + "\" at column " +
               std::to_string(at_ + 1) + ": expected " + expected;
    return 0;
  }

  std::string_view text_;
  std::span<const Parameter> parameters_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::string error_;
  Expression out_;
};

Result<Expression> Expression::parse(std::string_view text, Numbers numbers, Comparison comparison,
                                     std::span<const Parameter> parameters) {
  return ExpressionParser(text, numbers, comparison, parameters).parse();
}

}  // namespace hone
