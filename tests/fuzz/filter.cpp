// Filters: parsed, and compiled for every kind of object. The result is SQL with a value for each
// of its question marks and without a quote from the input.
#include <algorithm>

#include "db/filter/compile.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace hone::fuzz {
namespace {

void expect_place(const Error& error, std::size_t size) {
  expect(!error.detail.empty(), "a refusal says why");
  expect(error.at.starts_with("/where:"), "a refusal says where");
  expect(std::stoul(error.at.substr(7)) <= std::max<std::size_t>(size, 4096),
         "the place lies within the filter");
}

}  // namespace

void feed(const std::uint8_t* data, std::size_t size) {
  const auto text = text_of(data, size);
  const auto parsed = filter::parse(text);
  if (!parsed) return expect_place(parsed.error(), size);
  for (int kind = 0; kind < 12; ++kind) {
    const auto made = filter::compile(*parsed, static_cast<ObjectKind>(kind), Instant{1'000'000});
    if (!made) {
      expect_place(made.error(), size);
      continue;
    }
    const auto piece = filter::on_row(*made, 1);
    expect(std::cmp_equal(std::ranges::count(piece.sql, '?'), piece.values.size()),
           "every value is bound");
    expect(std::ranges::count(piece.sql, '\'') % 2 == 0, "no quote is open");
  }
}

}  // namespace hone::fuzz
