#include <optional>

#include "db/filter/kinds.hpp"
#include "db/filter/tokens.hpp"

namespace hone::filter {
namespace {

constexpr std::size_t text_bytes_max = 4096;
constexpr int depth_max = 32;
constexpr std::size_t values_max = 100;

bool same_word(std::string_view text, std::string_view keyword) {
  if (text.size() != keyword.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) != keyword[i]) return false;
  }
  return true;
}

std::optional<Op> op_of(std::string_view text) {
  if (text == "=" || text == "==") return Op::equal;
  if (text == "!=") return Op::differs;
  if (text == "<") return Op::less;
  if (text == "<=") return Op::at_most;
  if (text == ">") return Op::more;
  if (text == ">=") return Op::at_least;
  if (text == "~") return Op::holds;
  return std::nullopt;
}

class Parser {
 public:
  explicit Parser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  Result<Filter> run() {
    Filter filter;
    take_kind(filter);
    const bool where = take_keyword("where");
    if (is_end()) {
      if (where) return fault(here().at, "a condition is missing behind 'where'");
      return filter;
    }
    auto term = either(0);
    if (!term) return term.error();
    if (!is_end()) return fault(here().at, "'and' or 'or' is missing before " + shown());
    if (term->kind == Term::Kind::all)
      filter.terms = std::move(term->parts);
    else
      filter.terms.push_back(*std::move(term));
    return filter;
  }

 private:
  [[nodiscard]] const Token& here() const { return tokens_[at_]; }
  [[nodiscard]] bool is_end() const { return here().kind == Token::Kind::end; }
  [[nodiscard]] std::string shown() const {
    return is_end() ? "the end" : "'" + here().text.substr(0, 40) + "'";
  }
  bool is_keyword(std::string_view keyword) const {
    return here().kind == Token::Kind::word && same_word(here().text, keyword);
  }
  bool take_keyword(std::string_view keyword) {
    if (!is_keyword(keyword)) return false;
    ++at_;
    return true;
  }
  bool take(Token::Kind kind) {
    if (here().kind != kind) return false;
    ++at_;
    return true;
  }

  // "model where ..." and "model", but not "model = md_3".
  void take_kind(Filter& filter) {
    if (here().kind != Token::Kind::word || !kind_named(here().text)) return;
    const Token& next = tokens_[at_ + 1];
    const bool alone = next.kind == Token::Kind::end;
    if (!alone && !(next.kind == Token::Kind::word && same_word(next.text, "where"))) return;
    filter.kind = here().text;
    filter.kind_at = here().at;
    ++at_;
  }

  Result<Term> either(int depth) {
    return joined(Term::Kind::any, "or", depth, [&] { return both(depth); });
  }
  Result<Term> both(int depth) {
    return joined(Term::Kind::all, "and", depth, [&] { return one(depth); });
  }

  template <class Part>
  Result<Term> joined(Term::Kind kind, std::string_view keyword, int depth, const Part& part) {
    if (depth > depth_max) return fault(here().at, "this is nested too deeply");
    auto first = part();
    if (!first || !is_keyword(keyword)) return first;
    Term term{kind};
    term.parts.push_back(*std::move(first));
    while (take_keyword(keyword)) {
      auto next = part();
      if (!next) return next;
      term.parts.push_back(*std::move(next));
    }
    return term;
  }

  Result<Term> one(int depth) {
    if (depth > depth_max) return fault(here().at, "this is nested too deeply");
    if (take_keyword("not")) {
      auto part = one(depth + 1);
      if (!part) return part;
      Term term{Term::Kind::negation};
      term.parts.push_back(*std::move(part));
      return term;
    }
    if (here().kind != Token::Kind::open) return comparison();
    const std::size_t opened = here().at;
    ++at_;
    auto inner = either(depth + 1);
    if (!inner) return inner;
    if (!take(Token::Kind::close))
      return fault(opened, "this parenthesis is not closed; " + shown() + " comes before its )");
    return inner;
  }

  Result<Term> comparison() {
    Term term;
    Comparison& c = term.comparison;
    c.at = here().at;
    if (here().kind != Token::Kind::word)
      return fault(here().at,
                   "a field is missing here, as state or params.gamma, before " + shown());
    if (auto named = field(c); !named) return named.error();
    c.op_at = here().at;
    const bool negated = is_keyword("not") && same_word(tokens_[at_ + 1].text, "in");
    if (negated) ++at_;
    if (take_keyword("in")) {
      if (auto list = values(c); !list) return list.error();
      if (!negated) return term;
      Term outer{Term::Kind::negation};
      outer.parts.push_back(std::move(term));
      return outer;
    }
    if (here().kind != Token::Kind::op) return term;
    c.op = *op_of(here().text);
    ++at_;
    if (auto read = value(c); !read) return read.error();
    return term;
  }

  // A part of a name with blanks or signs is quoted: params."batch size".
  Status field(Comparison& c) {
    std::string_view rest = here().text;
    bool open_end = false;
    while (true) {
      const auto dot = rest.find('.');
      std::string part(rest.substr(0, dot));
      open_end = part.empty() && dot == std::string_view::npos;
      if (part.empty() && !open_end) return fault(here().at, "a name is missing around this dot");
      if (!open_end) c.field.push_back(std::move(part));
      if (dot == std::string_view::npos) break;
      rest.remove_prefix(dot + 1);
    }
    const std::size_t end = here().at + here().text.size();
    ++at_;
    if (!open_end) return Done{};
    if (here().kind != Token::Kind::quoted || here().at != end || c.field.empty())
      return fault(end - 1, "a name is missing behind this dot");
    c.field.push_back(here().text);
    ++at_;
    return Done{};
  }

  Status value(Comparison& c) {
    const Token& token = here();
    if (token.kind != Token::Kind::word && token.kind != Token::Kind::quoted)
      return fault(token.at, "a value is missing before " + shown());
    c.values.push_back({token.text, token.kind == Token::Kind::quoted, token.at});
    ++at_;
    return Done{};
  }

  Status values(Comparison& c) {
    if (!take(Token::Kind::open)) return fault(here().at, "'in' is followed by a list: in (a, b)");
    do {
      if (auto read = value(c); !read) return read;
      if (c.values.size() > values_max)
        return fault(here().at, "a list holds at most " + std::to_string(values_max) + " values");
    } while (take(Token::Kind::comma));
    if (take(Token::Kind::close)) return Done{};
    return fault(here().at, ", or ) is missing before " + shown());
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

}  // namespace

Result<Filter> parse(std::string_view text) {
  if (text.size() > text_bytes_max)
    return fault(text_bytes_max,
                 "a filter has at most " + std::to_string(text_bytes_max) + " characters");
  auto tokens = tokens_of(text);
  if (!tokens) return tokens.error();
  return Parser(*std::move(tokens)).run();
}

}  // namespace hone::filter
