// The words of a command: split from one line without a shell, and the "${name}" in them that
// parameters replace.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace hone {

// As a shell splits a line: at blanks, with '...', "..." and backslashes. Refuses with invalid what
// only a shell can do (pipes, redirections, variables, patterns), and says what to write instead.
// "${name}" stays as it is, quoted or not.
Result<std::vector<std::string>> split_command(std::string_view line);

// How a "${...}" is replaced. Only a value needs its parameter in each trial.
//   value        "${x}", "${x:-fallback}"  the value
//   optional     "${x?}"        the value; the whole word is left out where x is absent, null or ""
//   conditional  "${x?A}"       A where x holds; the whole word is left out where it does not
//                "${x?A:B}"     A where x holds, else B; left out where x is absent
//   items        "${x*}"        the word once for each item of a list, or of a text with blanks
// x holds unless it is absent, false, null, 0, an empty text or an empty list.
enum class Filling { value, optional, conditional, items };

// A part of a word: text, or a name to be replaced.
struct WordPiece {
  std::string text;                     // the text itself, or the name
  bool is_name = false;                 // of "${name}"
  std::optional<std::string> fallback;  // for a parameter that a trial does not have
  Filling filling = Filling::value;
  std::string then{};                         // A
  std::optional<std::string> otherwise = {};  // B
  friend bool operator==(const WordPiece&, const WordPiece&) = default;
};

// "$${" is a literal "${". Refuses with invalid a "${" without its "}" or its name, and a word with
// two lists of items.
Result<std::vector<WordPiece>> pieces_of(std::string_view word);

// The names that hone itself fills in, in addition to the parameters: "hone.seed" and others.
std::span<const std::string_view> own_names();

// The same of a command that evaluates a model: "hone.model" and others.
std::span<const std::string_view> evaluation_names();

// "learning.rate" -> "HONE_PARAM_LEARNING_RATE".
std::string variable_of(const std::string& parameter);

// Whether a parameter of this name is named in one of the words.
bool names(std::span<const std::string> words, std::string_view name);

}  // namespace hone
