#include <algorithm>
#include <charconv>
#include <vector>

#include "db/queries/overview.hpp"
#include "db/sql.hpp"
#include "schemas/codec/words.hpp"

namespace hone {
namespace {

constexpr std::string_view steps_of = "SELECT trial, sum(step) FROM run";
constexpr std::string_view time_of = "SELECT trial, sum(ended_at - granted_at) FROM attempt";

// The ids of a sweep's trials. They rise with the trials' numbers, and where they are close to each
// other, one pass over a table by id is faster than a search for each trial.
struct TrialIds {
  std::int64_t first = 0;
  std::int64_t last = -1;
  bool dense = false;
};

TrialIds ids_of(SQLite::Database& db, SweepId sweep) {
  SQLite::Statement s(db, "SELECT min(id), max(id), count(*) FROM trial WHERE sweep = ?");
  TrialIds ids;
  if (!sql::bind(s, sweep).executeStep()) return ids;
  sql::Columns c(s);
  ids.first = c.integer();
  ids.last = c.integer();
  ids.dense = ids.last - ids.first < 2 * c.integer();
  return ids;
}

// A sum over the rows of each trial of a dense sweep, read in one pass: 100,000 reads of one trial
// each take five times as long.
class TrialSums {
 public:
  TrialSums(SQLite::Database& db, TrialIds ids, CellSums sums) : first_(ids.first) {
    if (sums.steps) steps_ = read(db, steps_of, ids);
    if (sums.seconds) times_ = read(db, time_of, ids);
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
    SQLite::Statement s(db, std::string(select) + " WHERE trial BETWEEN ? AND ? GROUP BY trial");
    sql::bind(s, ids.first, ids.last);
    while (s.executeStep()) {
      sql::Columns c(s);
      const auto at = static_cast<std::size_t>(c.integer() - ids.first);
      sums[at] = c.integer();
    }
    return sums;
  }

  std::int64_t first_;
  std::vector<std::int64_t> steps_, times_;
};

std::string select_cells(CellSums sums, std::string_view where) {
  return std::string(
             "SELECT t.id, t.number, t.state, t.reason, t.cost, t.phase, t.runs, t.proposed_at,"
             " t.pinned_at IS NOT NULL, ") +
         (sums.steps ? "(SELECT sum(step) FROM run WHERE trial = t.id)" : "0") + ", " +
         (sums.seconds ? "(SELECT sum(ended_at - granted_at) FROM attempt WHERE trial = t.id)"
                       : "0") +
         ", t.params FROM trial t WHERE " + std::string(where);
}

void use_row(const SQLite::Statement& s, Goal goal, const TrialSums* sums,
             const std::function<void(const TrialCells&)>& use) {
  sql::Columns c(s);
  TrialCells cells;
  cells.trial = c.id<TrialId>();
  cells.number = c.integer();
  cells.state = c.word<RunState>();
  cells.reason = c.word<EndReason>();
  cells.value = sql::score_of(c.real(), goal);
  cells.phase = c.small();
  cells.runs = c.small();
  cells.proposed_at = c.instant();
  cells.pinned = c.integer() != 0;
  cells.steps = c.integer();
  cells.seconds = static_cast<double>(c.integer()) / 1e6;
  if (sums != nullptr) sums->add_to(cells);
  cells.params = c.view();
  use(cells);
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

void each_trial(SQLite::Database& db, SweepId sweep, Goal goal, CellSums sums,
                const std::vector<TrialId>* only,
                const std::function<void(const TrialCells&)>& use) {
  if (only != nullptr) {
    SQLite::Statement s(db, select_cells(sums, "t.sweep = ? AND t.id = ?"));
    for (const TrialId id : *only) {
      sql::bind(s, sweep, id);
      while (s.executeStep()) use_row(s, goal, nullptr, use);
    }
    return;
  }
  const auto ids = ids_of(db, sweep);
  if (!ids.dense) {
    SQLite::Statement s(db, select_cells(sums, "t.sweep = ? ORDER BY t.number"));
    sql::bind(s, sweep);
    while (s.executeStep()) use_row(s, goal, nullptr, use);
    return;
  }
  const TrialSums all(db, ids, sums);
  SQLite::Statement s(
      db, select_cells({false, false}, "+t.sweep = ? AND t.id BETWEEN ? AND ? ORDER BY t.id"));
  sql::bind(s, sweep, ids.first, ids.last);
  while (s.executeStep()) use_row(s, goal, &all, use);
}

// Some events name only a lease.
std::optional<std::vector<TrialId>> changed_trials(SQLite::Database& db, SweepId sweep,
                                                   std::int64_t after, std::int64_t events_max) {
  SQLite::Statement s(db, "SELECT body FROM event WHERE sweep = ? AND seq > ? LIMIT ?");
  SQLite::Statement lease(db, "SELECT trial FROM attempt WHERE lease = ?");
  sql::bind(s, sweep, after, events_max + 1);
  std::vector<TrialId> found;
  std::int64_t events = 0;
  while (s.executeStep()) {
    if (++events > events_max) return std::nullopt;
    const auto body = sql::Columns(s).text();
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
