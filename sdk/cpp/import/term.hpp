// Calls in texts of other tools: tag(log, interval(1e-4, 1)) of Hydra, tune.choice([32, 64]) of
// Ray. Parsed, never evaluated.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "schemas/codec/json.hpp"

namespace hone {

struct Term {
  Json value{};        // of a literal: a number, a word, a quoted text, a list, an object
  std::string call{};  // the name of a call; empty for a literal
  // Positional arguments have an empty name.
  std::vector<std::pair<std::string, Term>> arguments{};

  // The argument of this name, else the positional one at this place; nullptr if there is none.
  [[nodiscard]] const Term* argument(std::string_view name, std::size_t place) const;
};

constexpr std::size_t term_text_max = 65'536;  // bytes, far above what people write

// Parses terms that are separated by commas: at least one. Rejects calls within lists and objects,
// brackets that do not match, nesting deeper than 32, texts of more than term_text_max bytes and
// objects of more than 1,000 keys.
Result<std::vector<Term>> parse_terms(std::string_view text);

}  // namespace hone
