// Enums as words, both ways: an enumerator's word is its name. The words are permanent: ledgers,
// sweep files and other languages have them. tests/unit/codec/words_test.cpp lists each.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/result.hpp"
#include "schemas/types/fleet.hpp"
#include "schemas/types/scopes.hpp"
#include "schemas/types/score.hpp"
#include "schemas/types/space.hpp"
#include "schemas/types/states.hpp"
#include "schemas/types/turn.hpp"
#include "schemas/types/verdict.hpp"

namespace hone {

// A table of words for values that are no enumerators.
template <class... Text>
consteval auto word_table(Text... texts) {
  return std::array<std::string_view, sizeof...(Text)>{texts...};
}

// The word of an enumerator; empty for a value that has none.
template <auto value>
consteval std::string_view enumerator_word() {
  // "... [with auto value = hone::Goal::minimize; ...]", or "(hone::Goal)3" for no enumerator.
  constexpr std::string_view function = __PRETTY_FUNCTION__;
  constexpr auto begin = function.find("value = ");
  std::string_view name = function.substr(begin, function.find_first_of(";]", begin) - begin);
  name.remove_prefix(name.rfind(':') + 1);
  // What C++ does not allow as a name, or other languages know already.
  if (name == "go_on") return "continue";
  if (name == "flags_equals") return "flags=";
  if (name == "key_value") return "key=value";
  return name.find(')') == std::string_view::npos ? name : std::string_view();
}

template <class E, auto... values>
consteval auto enumerator_words() {
  constexpr auto next = static_cast<E>(sizeof...(values));
  if constexpr (enumerator_word<next>().empty()) {
    static_assert(sizeof...(values) > 0, "include the definition of the enum, which counts from 0");
    return word_table(enumerator_word<values>()...);
  } else {
    return enumerator_words<E, values..., next>();
  }
}

template <class E>
concept HasWords = std::is_enum_v<E>;
// In the order of the enumerators, which count from 0.
template <HasWords E>
inline constexpr auto words_of = enumerator_words<E>();

// Total: "unknown" is for values outside the enum, which only a cast could make.
template <HasWords E>
constexpr std::string_view word(E value) {
  const auto index = static_cast<std::size_t>(value);
  return index < words_of<E>.size() ? words_of<E>[index] : "unknown";
}

// nullopt for an unknown word.
template <HasWords E>
constexpr std::optional<E> parse_word(std::string_view text) {
  const auto found = std::find(words_of<E>.begin(), words_of<E>.end(), text);
  if (found == words_of<E>.end()) return std::nullopt;
  return static_cast<E>(found - words_of<E>.begin());
}

// A set of scopes as text and back: "read submit". nullopt for a word that is none.
std::string words(Scopes scopes);
std::optional<Scopes> parse_scopes(std::string_view text);

}  // namespace hone
