// Lists of words in a text, separated by blanks or by another character.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace hone::trainers {

inline std::vector<std::string_view> words_of(std::string_view text, char between = ' ') {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const auto end = std::min(text.find(between), text.size());
    if (end > 0) words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

inline bool has_word(std::string_view text, std::string_view word) {
  const auto words = words_of(text);
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace hone::trainers
