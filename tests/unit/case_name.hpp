// Names of the cases of a parametrised test, so that ctest lists them in words.
#pragma once

#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>

namespace hone {

// Joins the letters and digits of `words` by underscores, 40 characters at most, and adds the
// number of the case: INSTANTIATE_TEST_SUITE_P needs each name once.
inline std::string case_name(std::string_view words, std::size_t index) {
  constexpr std::size_t longest = 40;
  std::string name;
  for (const char c : words) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (plain)
      name += c;
    else if (!name.empty() && name.back() != '_')
      name += '_';
    if (name.size() == longest) break;
  }
  if (!name.empty() && name.back() != '_') name += '_';
  return name + std::to_string(index);
}

}  // namespace hone
