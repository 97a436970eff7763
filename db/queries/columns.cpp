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

// A sum over the rows of each trial of a sweep, read in one pass where its trials are close to each
// other: 100,000 reads of one trial each take five times as long.
class TrialSums {
 public:
  TrialSums(SQLite::Database& db, SweepId sweep, CellSums sums) {
    if (!sums.steps && !sums.seconds) return;
    SQLite::Statement s(db, "SELECT min(id), max(id), count(*) FROM trial WHERE sweep = ?");
    if (!sql::bind(s, sweep).executeStep()) return;
    sql::Columns c(s);
    first_ = c.integer();
    const auto last = c.integer();
    dense_ = last - first_ < 2 * c.integer();
    if (dense_ && sums.steps) steps_ = read(db, steps_of, last);
    if (dense_ && sums.seconds) times_ = read(db, time_of, last);
  }
  [[nodiscard]] bool dense() const { return dense_; }
  void add_to(TrialCells& cells) const {
    const auto at = static_cast<std::size_t>(cells.trial.value - first_);
    if (at < steps_.size()) cells.steps = steps_[at];
    if (at < times_.size()) cells.seconds = static_cast<double>(times_[at]) / 1e6;
  }

 private:
  [[nodiscard]] std::vector<std::int64_t> read(SQLite::Database& db, std::string_view select,
                                               std::int64_t last) const {
    std::vector<std::int64_t> sums(static_cast<std::size_t>(last - first_ + 1));
    SQLite::Statement s(db, std::string(select) + " WHERE trial BETWEEN ? AND ? GROUP BY trial");
    sql::bind(s, first_, last);
    while (s.executeStep()) {
      sql::Columns c(s);
      const auto at = static_cast<std::size_t>(c.integer() - first_);
      sums[at] = c.integer();
    }
    return sums;
  }

  std::int64_t first_ = 0;
  bool dense_ = false;
  std::vector<std::int64_t> steps_, times_;
};

std::string select_cells(CellSums sums) {
  return std::string(
             "SELECT t.id, t.number, t.state, t.reason, t.cost, t.phase, t.runs, t.proposed_at,"
             " t.pinned_at IS NOT NULL, ") +
         (sums.steps ? "(SELECT sum(step) FROM run WHERE trial = t.id)" : "0") + ", " +
         (sums.seconds ? "(SELECT sum(ended_at - granted_at) FROM attempt WHERE trial = t.id)"
                       : "0") +
         ", t.params FROM trial t WHERE t.sweep = ?1";
}

void use_row(const SQLite::Statement& s, Goal goal, const TrialSums* sums,
             const std::function<void(const TrialCells&)>& use) {
  sql::Columns c(s);
  TrialCells cells;
  cells.trial = c.id<TrialId>();
  cells.number = c.integer();
  cells.state = c.word(parse_run_state);
  cells.reason = c.word(parse_end_reason);
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
  if (only == nullptr) {
    const TrialSums all(db, sweep, sums);
    const auto each = all.dense() ? CellSums{false, false} : sums;
    SQLite::Statement s(db, select_cells(each) + " ORDER BY t.number");
    sql::bind(s, sweep);
    while (s.executeStep()) use_row(s, goal, &all, use);
    return;
  }
  SQLite::Statement s(db, select_cells(sums) + " AND t.id = ?2");
  for (const TrialId id : *only) {
    sql::bind(s, sweep, id);
    while (s.executeStep()) use_row(s, goal, nullptr, use);
  }
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
