// A ledger that was recorded once must replay for ever, to the same state: events are added, never
// edited. ledger_v1.jsonl is what `sim --ledger SEED` printed; never record it again, add another.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "schemas/codec/body.hpp"
#include "schemas/codec/event_codec.hpp"
#include "schemas/types/event.hpp"
#include "server/sweep/decide.hpp"

namespace hone {
namespace {

TEST(GoldenLedger, version_1_replays_to_the_state_it_had) {
  std::ifstream file(HONE_SOURCE_DIR "/tests/golden/ledger_v1.jsonl");
  ASSERT_TRUE(file.is_open());
  Book book;
  std::set<std::string> kinds;
  for (std::string line; std::getline(file, line);) {
    const auto row = parse_json(line);
    ASSERT_TRUE(row.ok()) << line;
    const auto kind = (*row)["kind"].get<std::string>();
    auto body = decode_event(kind, (*row)["body"]);
    ASSERT_TRUE(body.ok()) << line << "\n" << body.error().at << ": " << body.error().detail;
    const Event event{(*row)["seq"].get<std::int64_t>(), {(*row)["at"].get<std::int64_t>()}, *body};
    evolve(book, event);
    kinds.insert(kind);
  }
  EXPECT_EQ(kinds.size(), 15U) << "every kind but datasets, which commands have none of";
  EXPECT_TRUE(book.open_sweeps.empty());
  EXPECT_EQ(digest(book), 18398583103423930344ULL);
}

}  // namespace
}  // namespace hone
