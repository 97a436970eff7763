// Statements that are used again.
#include "db/sql.hpp"

#include <SQLiteCpp/Database.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

struct Statements : testing::Test {
  SQLite::Database memory{":memory:", SQLite::OPEN_READWRITE};

  void SetUp() override { memory.exec("CREATE TABLE pair (a, b)"); }
};

TEST_F(Statements, a_shorter_call_does_not_read_a_value_of_the_call_before_it) {
  SQLite::Statement pair{memory, "SELECT ?, ?"};
  sql::bind(pair, 1, 2).executeStep();
  ASSERT_EQ(pair.getColumn(1).getInt(), 2);
  sql::bind(pair, 3).executeStep();
  EXPECT_EQ(pair.getColumn(0).getInt(), 3);
  EXPECT_TRUE(pair.isColumnNull(1));
}

TEST_F(Statements, a_shorter_call_does_not_write_a_value_of_the_call_before_it) {
  SQLite::Statement insert{memory, "INSERT INTO pair VALUES (?, ?)"};
  sql::run(insert, 1, 2);
  sql::run(insert, 3);
  SQLite::Statement rows{memory, "SELECT a, b FROM pair ORDER BY a"};
  ASSERT_TRUE(rows.executeStep());
  EXPECT_EQ(rows.getColumn(1).getInt(), 2);
  ASSERT_TRUE(rows.executeStep());
  EXPECT_TRUE(rows.isColumnNull(1));
}

}  // namespace
}  // namespace hone
