#include "schemas/codec/wide_integer.hpp"

#include <charconv>
#include <cstdint>

namespace hone {

std::optional<std::string> wide_integer(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '"') {
      for (++at; at < text.size() && text[at] != '"'; ++at)
        if (text[at] == '\\') ++at;
      ++at;
      continue;
    }
    const auto number = text.substr(at, text.find_first_not_of("+-.0123456789eE", at) - at);
    if (number.empty()) {
      ++at;
      continue;
    }
    at += number.size();
    std::int64_t fits = 0;
    const auto read = std::from_chars(number.data(), number.data() + number.size(), fits);
    const bool is_whole = read.ptr == number.data() + number.size();
    if (is_whole && read.ec == std::errc::result_out_of_range) return std::string(number);
  }
  return std::nullopt;
}

Error too_wide(const std::string& number) {
  constexpr std::size_t shown_max = 40;
  return refuse(Code::invalid,
                "the number " +
                    (number.size() > shown_max ? number.substr(0, shown_max) + "..." : number) +
                    " does not fit 64 bits: write it with a point or an exponent, or as a text");
}

}  // namespace hone
