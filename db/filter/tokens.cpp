#include "db/filter/tokens.hpp"

#include <array>

namespace hone::filter {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Every character that the language does not use: ids, paths, times and other alphabets need no
// quotes.
bool is_word(char c) {
  return !is_blank(c) && std::string_view("()=!<>~,'\"").find(c) == std::string_view::npos &&
         static_cast<unsigned char>(c) >= 0x20 && c != 0x7f;
}

class Cutter {
 public:
  explicit Cutter(std::string_view text) : text_(text) {}

  Result<std::vector<Token>> run() {
    while (true) {
      while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
      if (at_ == text_.size()) break;
      auto token = next();
      if (!token) return token.error();
      tokens_.push_back(*std::move(token));
    }
    tokens_.push_back({Token::Kind::end, "", text_.size()});
    return std::move(tokens_);
  }

 private:
  Result<Token> next() {
    const char c = text_[at_];
    if (c == '(') return sign(Token::Kind::open, 1);
    if (c == ')') return sign(Token::Kind::close, 1);
    if (c == ',') return sign(Token::Kind::comma, 1);
    if (c == '"' || c == '\'') return quoted(c);
    for (const std::string_view op : {"!=", "<=", ">=", "==", "=", "<", ">", "~"})
      if (text_.substr(at_).starts_with(op)) return sign(Token::Kind::op, op.size());
    if (is_word(c)) return word();
    return fault(at_, c == '!' ? "! alone is no sign; write != or not"
                               : "this character needs quotes around the text that holds it");
  }

  Token sign(Token::Kind kind, std::size_t length) {
    Token token{kind, std::string(text_.substr(at_, length)), at_};
    at_ += length;
    return token;
  }

  // params."batch size" is one word: a quote may follow a dot.
  Token word() {
    Token token{Token::Kind::word, "", at_};
    while (at_ < text_.size() && is_word(text_[at_])) token.text += text_[at_++];
    return token;
  }

  Result<Token> quoted(char quote) {
    Token token{Token::Kind::quoted, "", at_};
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == quote) {
        ++at_;
        return token;
      }
      const bool escaped = text_[at_] == '\\' && at_ + 1 < text_.size() &&
                           (text_[at_ + 1] == quote || text_[at_ + 1] == '\\');
      if (escaped) ++at_;
      token.text += text_[at_];
    }
    return fault(token.at, "this quote is never closed");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

Error fault(std::size_t at, std::string detail) {
  return refuse(Code::invalid, std::move(detail), "/where:" + std::to_string(at));
}

Result<std::vector<Token>> tokens_of(std::string_view text) { return Cutter(text).run(); }

}  // namespace hone::filter
