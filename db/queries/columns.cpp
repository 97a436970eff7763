#include <algorithm>
#include <charconv>
#include <vector>

#include "db/leaderboard.hpp"
#include "db/projection/further.hpp"
#include "db/queries/overview.hpp"
#include "db/scan.hpp"
#include "db/sql.hpp"
#include "db/sums.hpp"

namespace hone {
namespace {

constexpr std::string_view steps_of = "SELECT trial, step FROM run";
constexpr std::string_view further_of =
    "(SELECT p.further FROM run r JOIN report p ON p.trial = r.trial AND p.replicate = r.replicate"
    " AND p.phase = r.reports - 1 WHERE r.trial = t.id AND r.replicate = 0)";
constexpr std::string_view time_of = "SELECT trial, ended_at - granted_at FROM attempt";

// The ids of a sweep's trials. They rise with the trials' numbers, and where they are close to each
// other, one pass over a table by id is faster than a search for each trial.
struct TrialIds {
  std::int64_t first = 0;
  std::int64_t last = -1;
  bool dense = false;
};

TrialIds ids_of(SQLite::Database& db, SweepId sweep) {
  const std::string end = "SELECT id, number FROM trial WHERE sweep = ? ORDER BY number";
  sql::Scan first(db, end + " LIMIT 1"), last(db, end + " DESC LIMIT 1");
  TrialIds ids;
  if (!first.bind({sweep.value}).next() || !last.bind({sweep.value}).next()) return ids;
  ids.first = first.integer(0);
  ids.last = last.integer(0);
  ids.dense = ids.last - ids.first < 2 * (last.integer(1) + 1);  // numbers have no gaps
  return ids;
}

// A sum over the rows of each trial of a dense sweep, read in one pass: 100,000 reads of one trial
// each take five times as long.
class TrialSums {
 public:
  TrialSums(SQLite::Database& db, TrialIds ids, CellsWanted wanted) : first_(ids.first) {
    if (wanted.steps) steps_ = read(db, steps_of, ids);
    if (wanted.seconds) times_ = read(db, time_of, ids);
  }
  void add_to(TrialCells& cells) const {
    const auto at = static_cast<std::size_t>(cells.trial.value - first_);
    if (at < steps_.size()) cells.steps = steps_[at];
    if (at < times_.size()) cells.seconds = static_cast<double>(times_[at]) / 1e6;
  }

 private:
  static std::vector<std::int64_t> read(SQLite::Database& db, std::string_view select,
                                        TrialIds ids) {
    std::vector<std::int64_t> sums(static_cast<std::size_t>(ids.last - ids.first + 1));
    sql::Scan rows(db, std::string(select) + " WHERE trial BETWEEN ? AND ?");
    rows.bind({ids.first, ids.last});
    while (rows.next())
      sql::add_bounded(sums[static_cast<std::size_t>(rows.integer(0) - ids.first)],
                       rows.integer(1));
    return sums;
  }

  std::int64_t first_;
  std::vector<std::int64_t> steps_, times_;
};

std::string select_cells(CellsWanted wanted, std::string_view where) {
  std::string select = "SELECT t.id, t.number, t.state, t.reason, t.cost, t.phase, t.runs";
  const auto add = [&select](bool is_wanted, std::string_view cell, std::string_view other) {
    select.append(", ").append(is_wanted ? cell : other);
  };
  add(wanted.proposed, "t.proposed_at", "0");
  add(wanted.pinned, "t.pinned_at IS NOT NULL", "0");
  add(wanted.steps, "(SELECT " + sql::bounded_sum("step") + " FROM run WHERE trial = t.id)", "0");
  add(wanted.seconds,
      "(SELECT " + sql::bounded_sum("ended_at - granted_at") + " FROM attempt WHERE trial = t.id)",
      "0");
  add(wanted.params, "t.params", "''");
  add(wanted.further, further_of, "NULL");
  add(wanted.place, "coalesce(t.confirmed_cost, 9e999)", "9e999");
  add(wanted.place, sql::tier, "0");
  add(wanted.place, sql::key, "0");
  add(wanted.place, "coalesce(t.expected_cost, 9e999)", "9e999");
  select.append(" FROM trial t ");
  // CROSS: the trials stay the outer loop.
  if (wanted.place) select.append("CROSS JOIN sweep s ON s.id = t.sweep ");
  return select.append("WHERE ").append(where);
}

void use_rows(sql::Scan& rows, Goal goal, const TrialSums* sums,
              const std::function<void(const TrialCells&)>& use) {
  TrialCells cells;
  while (rows.next()) {
    cells.trial = TrialId{rows.integer(0)};
    cells.number = rows.integer(1);
    cells.state = rows.view(2);
    cells.reason = rows.view(3);
    cells.value = sql::score_of(rows.real(4), goal);
    cells.phase = rows.small(5);
    cells.runs = rows.small(6);
    cells.proposed_at = {rows.integer(7)};
    cells.pinned = rows.integer(8) != 0;
    cells.steps = rows.integer(9);
    cells.seconds = static_cast<double>(rows.integer(10)) / 1e6;
    cells.params = rows.view(11);
    const auto further = rows.view(12);
    cells.further = further.empty() ? std::vector<Score>{} : read_further(std::string(further));
    cells.confirmed = sql::score_of(rows.real(13), goal);
    cells.tier = rows.small(14);
    cells.key = rows.real(15);
    cells.expected = sql::score_of(rows.real(16), goal);
    if (sums != nullptr) sums->add_to(cells);
    use(cells);
  }
}

// Appends the trials that the ids in a text name: "rn_42.0" and "tr_42". A text in quotes that
// only looks like an id adds a trial too many, which does no harm.
bool add_named(const std::string& body, std::vector<TrialId>& found) {
  bool any = false;
  for (auto at = body.find("_"); at != std::string::npos; at = body.find("_", at + 1)) {
    if (at < 3 || body[at - 3] != '"') continue;
    const std::string_view kind(body.data() + at - 2, 2);
    if (kind != "rn" && kind != "tr") continue;
    const auto end = body.find_first_not_of("0123456789", at + 1);
    const auto digits = std::string_view(body).substr(at + 1, end - at - 1);
    if (digits.empty() || digits.size() > 18) continue;
    found.push_back(TrialId{std::stoll(std::string(digits))});
    any = true;
  }
  return any;
}

std::optional<LeaseId> named_lease(const std::string& body) {
  constexpr std::string_view start = "\"le_";
  const auto at = body.find(start);
  if (at == std::string::npos) return std::nullopt;
  std::int64_t number = 0;
  const auto* digits = body.data() + at + start.size();
  const auto end = std::from_chars(digits, body.data() + body.size(), number).ptr;
  return end == digits ? std::nullopt : std::optional(LeaseId{number});
}

}  // namespace

void each_trial(SQLite::Database& db, SweepId sweep, Goal goal, CellsWanted wanted,
                const std::vector<TrialId>* only,
                const std::function<void(const TrialCells&)>& use) {
  if (only != nullptr) {
    sql::Scan row(db, select_cells(wanted, "t.sweep = ? AND t.id = ?"));
    for (const TrialId id : *only) use_rows(row.bind({sweep.value, id.value}), goal, nullptr, use);
    return;
  }
  const auto ids = ids_of(db, sweep);
  if (!ids.dense) {
    sql::Scan rows(db, select_cells(wanted, "t.sweep = ? ORDER BY t.number"));
    return use_rows(rows.bind({sweep.value}), goal, nullptr, use);
  }
  const TrialSums sums(db, ids, wanted);
  wanted.steps = wanted.seconds = false;
  sql::Scan rows(db, select_cells(wanted, "+t.sweep = ? AND t.id BETWEEN ? AND ? ORDER BY t.id"));
  use_rows(rows.bind({sweep.value, ids.first, ids.last}), goal, &sums, use);
}

// Some events name only a lease. nullopt: any trial may have changed.
std::optional<std::vector<TrialId>> changed_trials(SQLite::Database& db, SweepId sweep,
                                                   std::int64_t after, std::int64_t events_max) {
  SQLite::Statement s(db, "SELECT body, kind FROM event WHERE sweep = ? AND seq > ? LIMIT ?");
  SQLite::Statement lease(db, "SELECT trial FROM attempt WHERE lease = ?");
  sql::bind(s, sweep, after, events_max + 1);
  std::vector<TrialId> found;
  std::int64_t events = 0;
  while (s.executeStep()) {
    if (++events > events_max) return std::nullopt;
    sql::Columns c(s);
    const auto body = c.text();
    // The places of trials that it no longer names change, too.
    if (c.text() == "trials_expected") return std::nullopt;
    if (add_named(body, found)) continue;
    const auto id = named_lease(body);
    if (id && sql::bind(lease, *id).executeStep())
      found.push_back(sql::Columns(lease).id<TrialId>());
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace hone
