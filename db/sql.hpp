// Typed binding and reading of SQLite statements. Internal to db.
#pragma once

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "schemas/codec/words.hpp"
#include "schemas/types/ids.hpp"
#include "schemas/types/instant.hpp"
#include "schemas/types/reach.hpp"
#include "schemas/types/score.hpp"

namespace hone::sql {

// Scores as the projection orders them (migrations/0002_projection.sql): smaller is better.
inline constexpr double cost_diverged = std::numeric_limits<double>::max();
inline constexpr double cost_none = std::numeric_limits<double>::infinity();

// As the texts of literal.hpp have them.
static_assert(1.797e308 < cost_diverged && some_not_reached_from == 1e12);

inline double cost_of(Score score, Goal goal) {
  return score.is_diverged() ? cost_diverged : -score.merit(goal);
}
inline std::optional<Score> score_of(double cost, Goal goal) {
  if (cost == cost_none) return std::nullopt;
  if (cost == cost_diverged) return Score::diverged();
  if (goal == Goal::soonest && cost >= some_not_reached_from) return Score::not_reached();
  return Score::of(goal == Goal::maximize ? 0.0 - cost : cost);  // 0.0 - 0.0 is 0, -0.0 is not
}

inline void put(SQLite::Statement& s, int at, std::int64_t value) { s.bind(at, value); }
inline void put(SQLite::Statement& s, int at, int value) { s.bind(at, value); }
inline void put(SQLite::Statement& s, int at, double value) { s.bind(at, value); }
inline void put(SQLite::Statement& s, int at, const std::string& value) { s.bind(at, value); }
inline void put(SQLite::Statement& s, int at, std::string_view value) {
  s.bind(at, std::string(value));
}
inline void put(SQLite::Statement& s, int at, Instant value) { s.bind(at, value.us); }
template <class Tag>
void put(SQLite::Statement& s, int at, Id<Tag> value) {
  s.bind(at, value.value);
}
// The bytes of a container that outlives the execution, as a blob; by default null.
struct Bytes {
  Bytes() = default;
  template <class Values>
  explicit Bytes(const Values& values)
      : data(values.data()), size(values.size() * sizeof(*values.data())) {}
  const void* data = nullptr;
  std::size_t size = 0;
};
inline void put(SQLite::Statement& s, int at, Bytes value) {
  s.bindNoCopy(at, value.data, static_cast<int>(value.size));
}
template <class T>
void put(SQLite::Statement& s, int at, const std::optional<T>& value) {
  if (value)
    put(s, at, *value);
  else
    s.bind(at);
}

// Resets a statement and binds its parameters 1, 2, ...; others are null until the caller puts
// them: none keeps the value of an earlier call.
template <class... Values>
SQLite::Statement& bind(SQLite::Statement& s, const Values&... values) {
  s.reset();
  s.clearBindings();
  [[maybe_unused]] int at = 0;
  (put(s, ++at, values), ...);
  return s;
}

// As put, without a copy of texts: the values must outlive the execution.
template <class Value>
void lend(SQLite::Statement& s, int at, const Value& value) {
  put(s, at, value);
}
inline void lend(SQLite::Statement& s, int at, const std::string& value) {
  s.bindNoCopy(at, value);
}
inline void lend(SQLite::Statement& s, int at, const std::optional<std::string>& value) {
  value ? s.bindNoCopy(at, *value) : s.bind(at);
}

// Executes a bound statement that returns no rows, and resets it. Returns the number of changed
// rows.
inline int execute(SQLite::Statement& s) {
  try {
    const int changed = s.exec();
    s.reset();
    return changed;
  } catch (...) {
    s.tryReset();  // else the next use of the statement would report this failure again
    throw;
  }
}

// The same of a statement with these values as its parameters 1, 2, ...; others are null.
template <class... Values>
int run(SQLite::Statement& s, const Values&... values) {
  s.reset();
  s.clearBindings();
  [[maybe_unused]] int at = 0;
  (lend(s, ++at, values), ...);
  return execute(s);
}

// Reads the current row from left to right.
class Columns {
 public:
  explicit Columns(const SQLite::Statement& s) : s_(s) {}

  std::int64_t integer() { return s_.getColumn(at_++).getInt64(); }
  int small() { return s_.getColumn(at_++).getInt(); }
  double real() { return s_.getColumn(at_++).getDouble(); }
  std::string text() { return std::string(view()); }
  // Valid until the statement's next step.
  std::string_view view() {
    const auto column = s_.getColumn(at_++);
    const char* const start = column.getText();
    return {start, static_cast<std::size_t>(column.getBytes())};
  }
  Instant instant() { return {integer()}; }
  template <class T>
  T id() {
    return T{integer()};
  }
  RunId run_id() {
    const auto trial = id<TrialId>();
    return {trial, small()};
  }

  [[nodiscard]] bool is_null() const { return s_.isColumnNull(at_); }
  void skip(int columns) { at_ += columns; }

  // The next column by `read`, or nullopt if it is null: c.maybe(&Columns::instant).
  template <class T>
  std::optional<T> maybe(T (Columns::*read)()) {
    if (!is_null()) return (this->*read)();
    skip(1);
    return std::nullopt;
  }

  // A number, or the text diverged.
  Score score() {
    const auto column = s_.getColumn(at_++);
    return column.isText() ? Score::diverged() : Score::of(column.getDouble());
  }
  Scopes scopes() {
    const auto scopes = parse_scopes(view());
    if (!scopes) throw std::runtime_error("the query tables hold an unknown scope");
    return *scopes;
  }

  // The enumerator of a word: c.word<RunState>().
  template <class E>
  E word() {
    const auto name = view();
    const auto value = parse_word<E>(name);
    if (!value)
      throw std::runtime_error("the query tables hold an unknown word '" + std::string(name) + "'");
    return *value;
  }

 private:
  const SQLite::Statement& s_;
  int at_ = 0;
};

}  // namespace hone::sql
