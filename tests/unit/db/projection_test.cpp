// The query tables are a fold over the ledger: made again they are the same, and they agree with
// the Book.
#include <limits>
#include <set>

#include "db/file/migrate.hpp"
#include "db/queries/overview.hpp"
#include "db/queries/queries.hpp"
#include "db/sql.hpp"
#include "schemas/codec/words.hpp"
#include "server/search/seeds/leaders.hpp"
#include "tests/unit/db/given.hpp"
#include "tests/unit/db/storm.hpp"

namespace hone {
namespace {

class AfterAStorm : public testing::TestWithParam<std::uint64_t> {
 protected:
  AfterAStorm() {
    Storm storm(GetParam(), [&](const Command& c, Instant now) { return fed.perform(c, now); });
    storm.blow(2500);
    use_what_storms_do_not();
  }
  // Evaluations of a model, and a fleet that wants a pilot.
  void use_what_storms_do_not() {
    const Instant now = fed.book.last_at;
    EvaluateRequest evaluation{"evaluate", {.metric = "return", .values = {1, 2}}};
    EXPECT_TRUE(fed.perform(Evaluate{fed.book.models.begin()->first, evaluation}, now));
    FleetRequest fleet{.request_id = "fleet", .spec = {.name = "here", .min = 1}};
    EXPECT_TRUE(fed.perform(SetFleet{fleet, "mark"}, now));
    EXPECT_TRUE(fed.perform(Reconcile{}, now));
  }
  std::unique_ptr<SQLite::Database> db = open_in_memory();
  FedLedger fed{*db};
};

TEST_P(AfterAStorm, RebuildingChangesNothing) {
  const auto live = dump_projection(*db);
  for (const auto& [table, lines] : live) {
    if (table.starts_with("param_")) continue;   // of many more trials: db_filter_test
    if (table == "unfinished_import") continue;  // during an import alone: engine's imports_test
    EXPECT_FALSE(lines.empty()) << table << " was never used by this test";
  }
  rebuild_projection(*db);
  const auto again = dump_projection(*db);
  for (const auto& [table, lines] : live) {
    ASSERT_EQ(again.at(table).size(), lines.size()) << table;
    for (std::size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(again.at(table)[i], lines[i]) << table;
  }
}

// Deleting a row reads the tables that may name it: without an index all of their rows, so that an
// upgrade of 100,000 trials with a model each took hours.
TEST(ProjectionTables, RowsThatMayNameADeletedOneAreGoneOrIndexed) {
  const auto db = open_in_memory();
  std::set<std::string> emptied;
  for (const char* parent : projection_tables()) {
    SQLite::Statement names(*db,
                            "SELECT m.name, f.\"from\" FROM sqlite_master AS m,"
                            " pragma_foreign_key_list(m.name) AS f"
                            " WHERE m.type = 'table' AND f.\"table\" = ?");
    names.bind(1, parent);
    while (names.executeStep()) {
      const std::string child = names.getColumn(0).getString();
      if (emptied.contains(child)) continue;
      SQLite::Statement keys(*db,
                             "SELECT (SELECT count(*) FROM pragma_index_list(?1) AS i,"
                             " pragma_index_info(i.name) AS c WHERE c.seqno = 0 AND c.name = ?2)"
                             " + (SELECT count(*) FROM pragma_table_info(?1)"
                             " WHERE pk = 1 AND name = ?2)");
      keys.bind(1, child);
      keys.bind(2, names.getColumn(1).getString());
      ASSERT_TRUE(keys.executeStep());
      EXPECT_GT(keys.getColumn(0).getInt(), 0)
          << child << "." << names.getColumn(1).getString() << " names rows of " << parent;
    }
    emptied.insert(parent);
  }
}

TEST_P(AfterAStorm, RunsAreInTheStateTheBookSays) {
  for (const auto& [id, entry] : fed.book.trials) {
    const Trial& trial = entry.second;
    const auto row = find_trial(*db, id);
    ASSERT_TRUE(row.ok());
    EXPECT_EQ(row->sweep, entry.first);
    EXPECT_EQ(row->number, trial.number);
    EXPECT_EQ(row->runs, static_cast<int>(trial.runs.size()));
    for (const hone::Run& run : trial.runs) {
      const auto found = find_run(*db, run.id);
      ASSERT_TRUE(found.ok());
      EXPECT_EQ(found->state, run.state) << text(run.id);
      EXPECT_EQ(found->attempts, run.attempts);
      EXPECT_EQ(found->reports, static_cast<int>(run.reports.size()));
      EXPECT_EQ(found->ended_at.has_value(), is_end(run.state));
      if (is_end(run.state)) {
        EXPECT_EQ(found->reason, run.reason);
      }
    }
  }
}

TEST_P(AfterAStorm, SweepsAreInTheStateTheBookSaysAndTheirCountersCount) {
  for (const auto& [id, sweep] : fed.book.sweeps) {
    const auto row = find_sweep(*db, id);
    ASSERT_TRUE(row.ok());
    EXPECT_EQ(row->state, sweep.state) << text(id);
    EXPECT_EQ(row->reason, sweep.reason);
    EXPECT_EQ(row->ended_at.has_value(), is_end(sweep.state));
    EXPECT_EQ(row->trials_proposed, static_cast<std::int64_t>(sweep.trials.size()));
    RunCounts counts;
    std::int64_t reports = 0;
    for (const TrialId trial : sweep.trials) {
      const auto& origin = find_trial(fed.book, trial)->origin;
      if (origin) reports -= origin->phase + 1;  // of the run that it continues
      for (const hone::Run& run : find_trial(fed.book, trial)->runs) {
        reports += static_cast<std::int64_t>(run.reports.size());
        switch (run.state) {
          case RunState::queued:
            ++counts.queued;
            break;
          case RunState::leased:
            ++counts.leased;
            break;
          case RunState::running:
            ++counts.running;
            break;
          case RunState::paused:
            ++counts.paused;
            break;
          case RunState::completed:
            ++counts.completed;
            break;
          case RunState::stopped:
            ++counts.stopped;
            break;
          case RunState::failed:
            ++counts.failed;
            break;
          case RunState::canceled:
            ++counts.canceled;
            break;
        }
      }
    }
    EXPECT_EQ(row->runs, counts);
    EXPECT_EQ(row->phases_done, reports);
  }
}

TEST_P(AfterAStorm, LiveAttemptsAreTheLiveLeases) {
  SQLite::Statement rows(*db, "SELECT lease FROM attempt WHERE ended_at IS NULL ORDER BY lease");
  auto lease = fed.book.leases.begin();
  for (; rows.executeStep(); ++lease) {
    ASSERT_NE(lease, fed.book.leases.end());
    EXPECT_EQ(rows.getColumn(0).getInt64(), lease->first.value);
  }
  EXPECT_EQ(lease, fed.book.leases.end());
}

std::vector<TrialRow> trials_by_value(SQLite::Database& db, SweepId sweep) {
  std::vector<TrialRow> rows;
  PageQuery page{2, ""};
  while (true) {
    const auto part = list_trials(db, sweep, TrialSort::value, page);
    EXPECT_TRUE(part.ok());
    if (!part) return rows;
    rows.insert(rows.end(), part->items.begin(), part->items.end());
    if (!part->next) return rows;
    page.after = *part->next;
  }
}

TEST_P(AfterAStorm, TheLeaderboardIsThatOfTheBook) {
  for (const auto& [id, sweep] : fed.book.sweeps) {
    const auto all = trials_by_value(*db, id);
    EXPECT_EQ(all.size(), sweep.trials.size()) << text(id);
    const auto leaders = find_leaders(sweep.history, sweep.history.trials().size());
    const auto best = best_trials(*db, id, 1000);
    ASSERT_TRUE(best.ok());
    ASSERT_EQ(best->size(), leaders.size()) << text(id);
    for (std::size_t i = 0; i < leaders.size(); ++i) {
      const TrialRow& row = best->at(i).trial;
      const TrialOutcome& known = sweep.history.outcome(leaders[i]);
      EXPECT_EQ(row.id, sweep.trials[leaders[i] - sweep.history.foreign()]) << i;
      EXPECT_EQ(all[i].id, row.id);
      if (row.value->is_not_reached())
        EXPECT_LE(known.merit, -some_not_reached_from) << text(row.id);
      else
        EXPECT_EQ(row.value->merit(sweep.spec.objective.goal), known.merit) << text(row.id);
      EXPECT_EQ(row.length, known.phase + 1);
      EXPECT_EQ(row.seeds, known.values);
    }
    if (!leaders.empty()) {
      EXPECT_EQ(find_sweep(*db, id)->best->trial, best->front().trial.id);
    }
  }
}

TEST_P(AfterAStorm, GroupsOfRunsAreTheSumsOfTheirRuns) {
  const auto rows = [&](const std::string& query) {
    std::vector<std::string> found;
    SQLite::Statement s(*db, query);
    while (s.executeStep()) found.push_back(s.getColumn(0).getString());
    return found;
  };
  const auto groups = rows(
      "SELECT sweep || state || reason || failure || ' ' || runs || ' ' || steps"
      " FROM run_group ORDER BY 1");
  EXPECT_FALSE(groups.empty());
  EXPECT_EQ(groups,
            rows("SELECT r.sweep || r.state || r.reason || r.failure || ' ' || count(*) || ' ' ||"
                 " sum(r.step - iif(r.replicate = 0, coalesce(t.fork_step, 0), 0)) FROM run r"
                 " JOIN trial t ON t.id = r.trial GROUP BY r.sweep, r.state, r.reason, r.failure"
                 " ORDER BY 1"));
}

// By its definition: each trial that is better than all before it, of those that the leaderboard
// ranks by their value.
TEST_P(AfterAStorm, ImprovementsAreTheTrialsThatAreBetterThanAllBefore) {
  for (const auto& [id, sweep] : fed.book.sweeps) {
    const Goal goal = sweep.spec.objective.goal;
    std::vector<TrialId> expected;
    double best = -std::numeric_limits<double>::infinity();
    SQLite::Statement s(*db,
                        "SELECT id, cost FROM trial WHERE sweep = ?1 AND NOT failed AND"
                        " length >= (SELECT longest FROM sweep WHERE id = ?1) / 2.0 AND"
                        " runs >= (SELECT most_runs FROM sweep WHERE id = ?1) / 2.0"
                        " ORDER BY number");
    sql::bind(s, id);
    while (s.executeStep()) {
      sql::Columns c(s);
      const auto trial = c.id<TrialId>();
      const auto value = sql::score_of(c.real(), goal);
      if (!value || !value->has_number() || value->merit(goal) <= best) continue;
      best = value->merit(goal);
      expected.push_back(trial);
    }
    std::vector<TrialId> found;
    for (const auto& mark : improvements(*db, id, goal)) found.push_back(mark.trial);
    EXPECT_EQ(found, expected) << text(id);
  }
}

TEST_P(AfterAStorm, EveryForeignKeyHoldsAndTheFileIsSound) {
  SQLite::Statement broken(*db, "PRAGMA foreign_key_check");
  EXPECT_FALSE(broken.executeStep());
  EXPECT_EQ(db->execAndGet("PRAGMA integrity_check").getString(), "ok");
}

TEST(Migration, AnOlderFileGetsItsQueryTablesFromItsLedger) {
  TemporaryFolder temporary;
  const auto file = temporary.file("hone.db");
  std::map<std::string, std::vector<std::string>> before;
  {
    const auto db = open_for_writing(file);
    FedLedger fed(**db);
    Storm storm(5, [&](const Command& c, Instant now) { return fed.perform(c, now); });
    storm.blow(100);
    before = dump_projection(**db);
  }
  {
    const auto raw = open_for_writing(file);  // back to the schema of the first step
    (*raw)->exec("PRAGMA foreign_keys = OFF");
    (*raw)->exec("DROP VIEW attempt_code");
    for (const auto& [table, lines] : before) (*raw)->exec("DROP TABLE " + table);
    (*raw)->exec(
        "DROP TABLE metric_last; DROP TABLE ended_sweep; DROP TABLE quarantine;"
        "DROP TABLE snapshot");
    (*raw)->exec("DROP TABLE request; ALTER TABLE event DROP COLUMN link");  // likewise
    (*raw)->exec("DELETE FROM migration WHERE version > 1; PRAGMA user_version = 1");
  }
  const auto db = open_for_writing(file);
  ASSERT_TRUE(db.ok()) << db.error().detail;
  EXPECT_TRUE(dump_projection(**db) == before) << "the projection was not folded again";
  EXPECT_EQ((*db)->execAndGet("PRAGMA user_version").getInt(), newest_schema());
}

INSTANTIATE_TEST_SUITE_P(Seeds, AfterAStorm, testing::Values(1, 2, 3, 4),
                         [](const auto& seed) { return "seed_" + std::to_string(seed.param); });

}  // namespace
}  // namespace hone
