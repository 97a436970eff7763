// The results of the trials of a sweep: the values of their last reports, or of those of a phase.
#include <cmath>
#include <functional>
#include <map>
#include <span>

#include "db/projection/further.hpp"
#include "db/queries/overview.hpp"
#include "db/queries/queries.hpp"
#include "db/queries/read.hpp"
#include "db/sql.hpp"

namespace hone {
namespace {

// A mean over runs.
class Mean {
 public:
  void add(Score score) {
    ++count_;
    diverged_ = diverged_ || score.is_diverged();
    if (!diverged_) sum_ += score.value();
  }
  [[nodiscard]] Score score() const {
    return diverged_ ? Score::diverged() : Score::of(sum_ / count_);
  }

 private:
  double sum_ = 0;
  double count_ = 0;
  bool diverged_ = false;
};

// The values of a run's last report.
std::vector<Score> read_values(sql::Columns& c) {
  const auto value = c.maybe(&sql::Columns::real);
  std::vector<Score> values{value ? Score::of(*value) : Score::diverged()};
  const auto further = c.maybe(&sql::Columns::text);
  if (!further) return values;
  for (const Score score : read_further(*further)) values.push_back(score);
  return values;
}

std::vector<Score> scores_of(const std::vector<Mean>& means) {
  std::vector<Score> scores;
  for (const Mean& mean : means) scores.push_back(mean.score());
  return scores;
}

// Selects the last reports of completed trials or, with a phase (?2), the reports of that phase.
// of_one: of one trial (?3).
std::string select_outcomes(bool of_one) {
  return "SELECT " + row::columns<TrialRow>() +
         ", (SELECT id FROM model m WHERE m.trial = r.trial AND m.replicate = r.replicate"
         "   AND m.phase = p.phase ORDER BY m.step DESC, id DESC LIMIT 1),"
         " p.value, p.further"
         " FROM trial t JOIN run r ON r.trial = t.id"
         " JOIN report p ON p.trial = r.trial AND p.replicate = r.replicate"
         "  AND p.phase = coalesce(?2, r.reports - 1)"
         " WHERE t.sweep = ?1 AND (?2 IS NOT NULL OR t.state = 'completed')" +
         (of_one ? " AND t.id = ?3" : "") + " ORDER BY t.number, r.replicate";
}

// Adds the trials of a statement of select_outcomes whose parameters are bound.
void add_outcomes(SQLite::Statement& s, Goal goal, std::vector<OutcomeRow>& rows) {
  std::vector<Mean> means;
  while (s.executeStep()) {
    sql::Columns c(s);
    auto trial = row::read<TrialRow>(c, goal);
    auto model = c.maybe(&sql::Columns::id<ModelId>);
    const auto values = read_values(c);
    if (rows.empty() || rows.back().trial.id != trial.id) {
      rows.push_back({std::move(trial), {}, model});
      means.assign(values.size(), {});
    }
    for (std::size_t i = 0; i < std::min(values.size(), means.size()); ++i) means[i].add(values[i]);
    rows.back().values = scores_of(means);
  }
}

}  // namespace

// A value beyond the range of float counts as diverged.
std::vector<std::pair<int, std::int64_t>> trials_by_phase(SQLite::Database& db, SweepId sweep) {
  struct Count {
    TrialId newest;
    std::int64_t trials = 0;
  };
  std::map<int, Count, std::greater<>> counts;
  each_curve(db, sweep, [&](const RunMark& mark, std::span<const PackedPoint> points) {
    for (const PackedPoint& point : points) {
      Count& count = counts[point.phase];
      if (!std::isfinite(point.value) || count.newest == mark.run.trial) continue;
      count.newest = mark.run.trial;
      ++count.trials;
    }
  });
  std::vector<std::pair<int, std::int64_t>> listed;
  for (const auto& [phase, count] : counts)
    if (count.trials > 0) listed.emplace_back(phase, count.trials);
  return listed;
}

std::vector<TrialId> outcome_trials(SQLite::Database& db, SweepId sweep, std::optional<int> phase) {
  SQLite::Statement s(db, std::string("SELECT id FROM trial WHERE sweep = ?1 AND phase > ?2") +
                              (phase ? "" : " AND state = 'completed'") + " ORDER BY number");
  std::vector<TrialId> trials;
  for (sql::bind(s, sweep, phase.value_or(0)); s.executeStep();)
    trials.push_back(sql::Columns(s).id<TrialId>());
  return trials;
}

Result<std::vector<OutcomeRow>> list_outcomes(SQLite::Database& db, SweepId sweep,
                                              std::optional<int> phase,
                                              const std::vector<TrialId>* only) {
  const auto goal = goal_of(db, sweep);
  if (!goal) return goal.error();
  SQLite::Statement s(db, select_outcomes(only != nullptr));
  std::vector<OutcomeRow> rows;
  if (only == nullptr) {
    add_outcomes(sql::bind(s, sweep, phase), *goal, rows);
    return rows;
  }
  for (const TrialId trial : *only) add_outcomes(sql::bind(s, sweep, phase, trial), *goal, rows);
  return rows;
}

}  // namespace hone
