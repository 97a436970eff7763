// SQL texts that are put together at compile time, and the value of a cost. Internal to db.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "db/sql.hpp"

namespace hone::sql {

template <std::size_t size>
struct Literal {
  char text[size]{};
  constexpr Literal() = default;
  constexpr Literal(const char (&from)[size]) { std::copy_n(from, size, text); }  // NOLINT
  constexpr operator std::string_view() const { return {text, size - 1}; }        // NOLINT
};

// Concatenates literals.
template <std::size_t... sizes>
constexpr auto joined(const char (&... parts)[sizes]) {
  Literal<(sizes + ...) - sizeof...(sizes) + 1> all;
  char* at = all.text;
  ((at = std::copy_n(parts, sizes - 1, at)), ...);
  return all;
}

// The value of a cost of a trial or run of sweep s: null without one. `diverged` and `not_reached`
// are returned in place of a number.
template <Literal cost, Literal diverged = "NULL", Literal not_reached = "NULL">
inline constexpr auto value_of = joined("CASE WHEN ", cost.text, " >= 9e999 THEN NULL WHEN ",
                                        cost.text, " >= 1.797e308 THEN ", diverged.text,
                                        " WHEN s.goal = 'soonest' AND ", cost.text,
                                        " >= 1e12 THEN ", not_reached.text,
                                        " WHEN s.goal <> 'maximize' THEN ", cost.text,
                                        " ELSE 0.0 - ", cost.text, " END");
static_assert(9e99 < 1.797e308 && 1.797e308 < cost_diverged && some_not_reached_from == 1e12);

}  // namespace hone::sql
