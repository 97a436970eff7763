// A ledger that was recorded once replays permanently, to the same state: kinds of events are
// added, never edited. Each X.jsonl has the rows of a ledger, and X.book the state that they gave
// when they were recorded (book_text.hpp). Never record one again: add another (record.py).
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "db/file/database.hpp"
#include "db/ledger/ledger.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/codec/event_codec.hpp"
#include "schemas/types/event.hpp"
#include "server/engine/book_archive.hpp"
#include "server/engine/engine.hpp"
#include "tests/golden/book_text.hpp"

namespace hone {
namespace {

namespace fs = std::filesystem;

const fs::path folder(HONE_SOURCE_DIR "/tests/golden");

std::vector<std::string> recorded() {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".jsonl") names.insert(entry.path().stem().string());
  return {names.begin(), names.end()};
}

struct Row {
  std::string kind;
  Json body;
  Event event;
};

// Whether every member that was recorded is written again, with its value. Later ones may follow.
bool holds(const Json& now, const Json& then) {
  if (then.is_object() && now.is_object()) {
    for (const auto& [key, value] : then.items())
      if (!now.contains(key) || !holds(now.at(key), value)) return false;
    return true;
  }
  if (!then.is_array() || !now.is_array()) return now == then;
  return now.size() == then.size() &&
         std::equal(now.begin(), now.end(), then.begin(),
                    [](const Json& a, const Json& b) { return holds(a, b); });
}

class GoldenLedger : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    std::ifstream file(folder / (GetParam() + ".jsonl"));
    for (std::string line; std::getline(file, line);) {
      const auto row = parse_json(line);
      ASSERT_TRUE(row.ok()) << line;
      const auto kind = row->at("kind").get<std::string>();
      auto body = decode_event(kind, row->at("body"));
      ASSERT_TRUE(body.ok()) << line << "\n" << body.error().at << ": " << body.error().detail;
      rows.push_back({kind,
                      row->at("body"),
                      {row->at("seq").get<std::int64_t>(),
                       {row->at("at").get<std::int64_t>()},
                       *std::move(body)}});
    }
    ASSERT_FALSE(rows.empty());
  }
  [[nodiscard]] Book folded() const {
    Book book;
    for (const Row& row : rows) evolve(book, row.event);
    return book;
  }

  std::vector<Row> rows;
};

TEST_P(GoldenLedger, replays_to_the_state_it_had) {
  std::ostringstream then;
  then << std::ifstream(folder / (GetParam() + ".book")).rdbuf();
  const std::string now = book_text(folded());
  std::istringstream lines(then.str()), others(now);
  std::string line, other;
  for (int number = 1; std::getline(lines, line); ++number) {
    ASSERT_TRUE(std::getline(others, other)) << "line " << number << " is gone: " << line;
    ASSERT_EQ(other, line) << "line " << number;
  }
  EXPECT_FALSE(std::getline(others, other)) << "a further line: " << other;
}

TEST_P(GoldenLedger, loses_no_member_of_an_event) {
  for (const Row& row : rows) {
    const Json again = encode(row.event.body);
    EXPECT_TRUE(holds(again, row.body)) << "event " << row.event.seq << " was " << to_text(row.body)
                                        << "\nand is " << to_text(again);
  }
}

// A start: the ledger is read from the disk, folded into the Book and the query tables, and served.
TEST_P(GoldenLedger, starts_a_server_with_that_state) {
  const auto db = *open_for_writing(":memory:");
  Ledger ledger(*db);
  ledger.begin();
  for (const Row& row : rows) ledger.append(row.event);
  ledger.commit();
  Engine engine(*db, rows.back().event.at);
  Book expected = folded();
  ledger.replay(rows.back().event.seq, [&](const Event& start) { evolve(expected, start); });
  EXPECT_EQ(book_text(engine.whole_book()), book_text(expected));
  EXPECT_TRUE(archive_book(engine.whole_book()) == archive_book(expected));
  EXPECT_TRUE(archive_book(read_book(archive_book(expected))) == archive_book(expected));
}

INSTANTIATE_TEST_SUITE_P(Every, GoldenLedger, testing::ValuesIn(recorded()),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace hone
