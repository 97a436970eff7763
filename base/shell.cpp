#include "base/shell.hpp"

#include "base/ascii.hpp"

namespace hone {

std::string shell_word(const std::string& word) {
  if (!word.empty() && is_plain(word, "_./:=,@%+-")) return word;
  std::string text = "'";
  for (const char c : word) c == '\'' ? text += "'\\''" : text += c;
  return text + "'";
}

std::string shell_words(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text.append(text.empty() ? "" : " ").append(shell_word(word));
  return text;
}

}  // namespace hone
