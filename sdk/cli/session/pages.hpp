// A list of the server that a command reads page by page, and keeps.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "base/result.hpp"
#include "schemas/codec/json.hpp"

namespace hone::cli {

// Text of all pages together: of four of the longest answers that a client reads.
inline constexpr std::size_t list_bytes_max = std::size_t{256} << 20U;
// Counted for a page with less text, so that a list has at most 65,536 pages.
inline constexpr std::size_t page_bytes_min = std::size_t{4} << 10U;

// Follows the cursors of a list. A server is not trusted to end it.
class Pages {
 public:
  // `cursor`: what the first page was asked for with.
  explicit Pages(std::string cursor = {}) : cursor_(std::move(cursor)) {}

  // Whether another page follows, from cursor() on. Refuses (too_large) a list with more text than
  // a command keeps, and (internal) one that continues where it was.
  Result<bool> follow(const Json& page);
  [[nodiscard]] const std::string& cursor() const { return cursor_; }

 private:
  std::string cursor_;
  std::size_t bytes_left_ = list_bytes_max;
};

}  // namespace hone::cli
