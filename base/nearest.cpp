#include "base/nearest.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <utility>

namespace hone {
namespace {

// Longer words are not typing errors, and the bound keeps the table on the stack.
constexpr std::size_t length_max = 64;

using Row = std::array<std::size_t, length_max + 1>;

// Optimal string alignment: insert, delete, replace, and swap of two neighbours cost one each.
// Precondition: both words are at most length_max long.
std::size_t distance(std::string_view a, std::string_view b) {
  std::array<Row, 3> rows{};  // i-2, i-1, i, by turns
  for (std::size_t j = 0; j <= b.size(); ++j) rows[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    const Row& two_up = rows[(i + 1) % 3];
    const Row& up = rows[(i + 2) % 3];
    Row& row = rows[i % 3];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = up[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({up[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], two_up[j - 2] + 1);
    }
  }
  // The row of i = a.size() is at a.size() % 3; rows are offset so that row 0 is i = 0.
  return rows[a.size() % 3][b.size()];
}

}  // namespace

std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates) {
  if (word.empty() || word.size() > length_max) return {};
  const std::size_t allowed = std::max<std::size_t>(2, word.size() / 3);
  std::size_t best = std::numeric_limits<std::size_t>::max();
  std::string_view found;
  for (const auto candidate : candidates) {
    if (candidate.empty() || candidate.size() > length_max) continue;
    const std::size_t edits = distance(word, candidate);
    // Two letters of two changed is another word, not a slip.
    const bool nothing_kept = edits >= std::max(word.size(), candidate.size());
    if (edits > allowed || nothing_kept || edits >= best) continue;
    best = edits;
    found = candidate;
  }
  return found;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates) {
  const auto meant = nearest(word, candidates);
  if (meant.empty()) return {};
  return " (did you mean '" + std::string(meant) + "'?)";
}

}  // namespace hone
