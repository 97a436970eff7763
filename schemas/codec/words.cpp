#include "schemas/codec/words.hpp"

namespace hone {

std::string words(Scopes scopes) {
  std::string text;
  for (std::size_t i = 0; i < words_of<Scope>.size(); ++i)
    if (scopes.holds(static_cast<Scope>(i)))
      text.append(text.empty() ? "" : " ").append(words_of<Scope>[i]);
  return text;
}

std::optional<Scopes> parse_scopes(std::string_view text) {
  Scopes scopes;
  while (!text.empty()) {
    const auto end = text.find(' ');
    const auto scope = parse_word<Scope>(text.substr(0, end));
    if (!scope) return std::nullopt;
    scopes = scopes | *scope;
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return scopes;
}

}  // namespace hone
