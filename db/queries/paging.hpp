// Cursors and pages. A cursor is the key of the last row of a page, as text. Internal to db.
#pragma once

#include <SQLiteCpp/Statement.h>

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.hpp"
#include "db/queries/read.hpp"
#include "db/queries/rows.hpp"

namespace hone {

inline Error bad_cursor(const std::string& cursor) {
  return refuse(
      Code::invalid,
      "'" + cursor + "' is not a cursor of this list: pass the `next` of its previous page",
      "/after");
}

// Parses all of `text` as a number.
template <class T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  const auto end = text.data() + text.size();
  const auto [stop, trouble] = std::from_chars(text.data(), end, value);
  if (trouble != std::errc{} || stop != end || text.empty()) return std::nullopt;
  return value;
}

// Parses a cursor of one integer; `first` if the page is the first.
inline Result<std::int64_t> integer_cursor(const PageQuery& page, std::int64_t first) {
  if (page.after.empty()) return first;
  const auto value = parse_number<std::int64_t>(page.after);
  if (!value) return bad_cursor(page.after);
  return *value;
}

// Reads the rows of a SELECT with LIMIT limit + 1: the extra row means that there is a next page.
template <class Row, class Read, class Key>
Page<Row> read_page(SQLite::Statement& rows, std::int64_t limit, const Read& read, const Key& key) {
  Page<Row> page;
  while (rows.executeStep()) {
    if (static_cast<std::int64_t>(page.items.size()) == limit) {
      page.next = key(page.items.back());
      break;
    }
    page.items.push_back(read(rows));
  }
  return page;
}

template <class Row, class Key>
Page<Row> read_page(SQLite::Statement& rows, std::int64_t limit, const Key& key) {
  return read_page<Row>(
      rows, limit, [](const SQLite::Statement& s) { return row::read<Row>(s); }, key);
}

}  // namespace hone
