// Splits a filter into tokens. Internal to db/filter.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "db/filter/syntax.hpp"

namespace hone::filter {

struct Token {
  enum class Kind { word, quoted, op, open, close, comma, end };
  Kind kind = Kind::end;
  std::string text;  // without quotes
  std::size_t at = 0;
};

// The last token is of kind end.
Result<std::vector<Token>> tokens_of(std::string_view text);

}  // namespace hone::filter
