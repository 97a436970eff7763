// Pages of a primary's ledger, as a standby reads and appends them. The first line is "pull": a
// standby's request follows; "page N": the bytes of a page after event N; or "events": lines of
// KIND SWEEP BODY, which become a page with the links that a primary would send. No primary can end
// a standby or leave half a page in its ledger.
#include "server/standby/ledger_page.hpp"

#include <charconv>
#include <memory>
#include <tuple>

#include "db/file/database.hpp"
#include "db/ledger/chain.hpp"
#include "db/ledger/ledger.hpp"
#include "server/standby/limits.hpp"
#include "server/standby/page.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace hone::fuzz {
namespace {

using standby::Page;

void check_pull(std::string_view text) {
  const auto pull = standby::parse_pull(text);
  if (!pull) return expect(!pull.error().detail.empty(), "a refusal says why");
  expect(pull->after >= 0 && pull->term >= 0, "numbers of a request are not negative");
  const auto again = standby::parse_pull(standby::text(*pull));
  expect(again && standby::text(*again) == standby::text(*pull), "a request is written as it is");
}

void check_bounds(const Page& page, std::int64_t after) {
  namespace limits = standby::limits;
  expect(std::cmp_less_equal(page.rows.size(), limits::page_events) &&
             page.points.size() <= limits::page_points,
         "a page has its bounds");
  expect(page.term >= 0 && page.term < limits::term_max, "a term can be followed by another");
  for (const standby::Row& row : page.rows) expect(row.seq == ++after, "events follow each other");
}

// Appends to an empty ledger: all of the page, or nothing.
void check_append(const Page& page) {
  static const std::unique_ptr<SQLite::Database> db = *open_for_writing(":memory:");
  static Ledger ledger(*db);
  const auto rows = static_cast<std::int64_t>(page.rows.size());
  ledger.begin();
  if (const Status appended = standby::append_page(ledger, page); appended)
    expect(ledger.last_seq() == rows, "all events are there");
  else
    expect(!appended.error().detail.empty(), "a refusal says why");
  ledger.rollback();
  expect(ledger.last_seq() == 0, "a page that is not committed leaves nothing");
}

Page page_of(std::string_view lines) {
  Page page;
  Link link;
  while (!lines.empty() && page.rows.size() < 50) {
    std::string_view line;
    std::tie(line, lines) = first_line(lines);
    const auto kind = line.substr(0, line.find(' '));
    line.remove_prefix(std::min(kind.size() + 1, line.size()));
    const auto sweep = line.substr(0, line.find(' '));
    line.remove_prefix(std::min(sweep.size() + 1, line.size()));
    const auto seq = static_cast<std::int64_t>(page.rows.size()) + 1;
    standby::Row row{seq, {seq}, std::string(kind), {}, std::string(line), {}};
    std::int64_t number = 0;
    if (std::from_chars(sweep.data(), sweep.data() + sweep.size(), number).ec == std::errc())
      row.sweep = SweepId{number};
    link = next_link(link, {row.seq, row.at, row.kind, row.sweep, row.body});
    row.link = link_text(link);
    page.rows.push_back(std::move(row));
  }
  return page;
}

}  // namespace

void feed(const std::uint8_t* data, std::size_t size) {
  auto [how, text] = first_line(text_of(data, size));
  if (how == "pull") return check_pull(text);
  if (how == "events") return check_append(page_of(text));
  if (!how.starts_with("page ")) return;
  std::int64_t after = 0;
  how.remove_prefix(5);
  if (std::from_chars(how.data(), how.data() + how.size(), after).ec != std::errc() || after < 0)
    return;
  const auto page = standby::parse_page(text, after);
  if (!page) return expect(!page.error().detail.empty(), "a refusal says why");
  check_bounds(*page, after);
  const auto again = standby::parse_page(standby::text(*page), after);
  expect(again && standby::text(*again) == standby::text(*page), "a page is written as it is");
  if (after == 0) check_append(*page);
}

}  // namespace hone::fuzz
