// Reads rows by their descriptions (described.hpp): the columns of a SELECT, then one row after the
// other. Internal to db.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/result.hpp"
#include "db/queries/described.hpp"
#include "db/sql.hpp"

namespace hone::row {

// Collects the columns of a row.
class Select : public Interpreter<Select> {
 public:
  std::string columns;

  Select& operator()(std::string_view, const auto&, std::string_view sql, auto...) {
    columns.append(columns.empty() ? "" : ", ").append(sql);
    return *this;
  }
  Select& cost(auto key, const auto& score, auto sql, auto...) { return (*this)(key, score, sql); }
  Select& goal(std::string_view sql) { return (*this)("", sql, sql); }
  template <class Row>
  Select& nested(std::string_view, Row& row, auto...) {
    if constexpr (is_optional<Row>)
      fields(*this, row.emplace());
    else
      fields(*this, row);
    return *this;
  }
};

// The columns of a SELECT of such rows, in the order in which `read` takes them.
template <class Row>
const std::string& columns() {
  static const std::string text = [] {
    Select select;
    Row row;
    fields(select, row);
    return std::move(select.columns);
  }();
  return text;
}

// Takes the columns of a row from left to right.
class Read : public Interpreter<Read> {
 public:
  Read(sql::Columns& c, Goal goal) : c_(c), goal_(goal) {}

  template <class T>
  Read& operator()(std::string_view, T& member, auto...) {
    get(member);
    return *this;
  }
  Read& goal(std::string_view) {
    get(goal_);
    return *this;
  }
  Read& cost(std::string_view, std::optional<Score>& score, auto...) {
    const auto cost = c_.maybe(&sql::Columns::real);
    score = cost ? sql::score_of(*cost, goal_) : std::nullopt;
    return *this;
  }
  Read& cost(std::string_view, Score& score, auto...) {
    score = sql::score_of(c_.real(), goal_).value_or(Score::diverged());
    return *this;
  }
  template <class Row>
  Read& nested(std::string_view, Row& row, auto...) {
    if constexpr (is_optional<Row>) {
      const bool none = c_.is_null();
      fields(*this, row.emplace());
      if (none) row.reset();
    } else {
      fields(*this, row);
    }
    return *this;
  }

 private:
  template <class T>
  static constexpr int width = std::is_same_v<T, RunId>       ? 2
                               : std::is_same_v<T, AttemptId> ? 3
                                                              : 1;

  template <class T>
  void get(T& value) {
    if constexpr (is_optional<T>) {
      if (c_.is_null())
        c_.skip(width<typename T::value_type>);
      else
        get(value.emplace());
    } else if constexpr (std::is_enum_v<T>) {
      value = c_.word<T>();
    } else if constexpr (std::is_same_v<T, std::string>) {
      value = c_.text();
    } else if constexpr (std::is_same_v<T, double>) {
      value = c_.real();
    } else if constexpr (std::is_integral_v<T>) {
      value = static_cast<T>(c_.integer());
    } else {
      get_parts(value);
    }
  }
  void get_parts(Instant& at) { at = c_.instant(); }
  void get_parts(RunId& run) { run = c_.run_id(); }
  void get_parts(AttemptId& attempt) {
    get(attempt.run);
    get(attempt.number);
  }
  template <class Tag>
  void get_parts(Id<Tag>& id) {
    id.value = c_.integer();
  }
  void get_parts(Score& score) { score = c_.score(); }
  void get_parts(Scopes& scopes) { scopes = c_.scopes(); }

  sql::Columns& c_;
  Goal goal_;
};

// The goal is that of the row's costs, where the row does not read it.
template <class Row>
Row read(sql::Columns& c, Goal goal = Goal::minimize) {
  Row row;
  Read reader(c, goal);
  fields(reader, row);
  return row;
}
template <class Row>
Row read(const SQLite::Statement& s, Goal goal = Goal::minimize) {
  sql::Columns c(s);
  return read<Row>(c, goal);
}

}  // namespace hone::row

namespace hone {

// The goal of the costs of a sweep.
inline Result<Goal> goal_of(SQLite::Database& db, SweepId sweep) {
  SQLite::Statement s(db, "SELECT goal FROM sweep WHERE id = ?");
  if (!sql::bind(s, sweep).executeStep())
    return refuse(Code::not_found, "there is no sweep " + text(sweep));
  return sql::Columns(s).word<Goal>();
}

}  // namespace hone
