// The order of a sweep's trials in SQL (docs/leaderboard.md). Internal to db.
//
// The place of a trial is (tier, key, number), smaller is better:
//   0  confirmed: by its value in the sweep's confirmations
//   1  of single, noisy runs: by the value that a model expects
//   2  with a value: by its value
//   3  trained less than half as long as the longest trial, or, where contenders get further seeds,
//      with less than half of the most runs: by its value
//   4  failed
//   5  diverged
//   6  without a report
#pragma once

#include <string>

#include "db/literal.hpp"

namespace hone::sql {

// The tier of trial t in sweep s.
inline constexpr char tier[] =
    "CASE WHEN t.confirmed_cost < 1.797e308 THEN 0 WHEN t.cost >= 9e999 THEN 6"
    " WHEN t.cost >= 1.797e308 THEN 5 WHEN t.failed THEN 4"
    " WHEN 2 * t.length < s.longest OR 2 * t.runs < s.most_runs THEN 3"
    " WHEN t.expected_cost IS NOT NULL THEN 1 ELSE 2 END";
inline constexpr int last_valued_tier = 3;
inline constexpr char key[] =
    "CASE WHEN t.confirmed_cost < 1.797e308 THEN t.confirmed_cost"
    " WHEN t.expected_cost IS NOT NULL AND t.cost < 1.797e308 AND NOT t.failed AND"
    " 2 * t.length >= s.longest AND 2 * t.runs >= s.most_runs THEN t.expected_cost"
    " ELSE t.cost END";

// A scalar subquery: the first trial of sweep s; null if no trial has a report. The first
// three selects are look-ups in an index; the last sorts trials of which none is in tiers 0 to 2.
inline constexpr char first_trial[] =
    "coalesce((SELECT t.id FROM trial t WHERE t.sweep = s.id AND"
    "  t.confirmed_cost IS NOT NULL AND t.confirmed_cost < 1.797e308"
    "  ORDER BY t.confirmed_cost, t.number LIMIT 1),"
    " (SELECT t.id FROM trial t WHERE t.sweep = s.id AND t.expected_cost IS NOT NULL AND"
    "  +t.cost < 1.797e308 AND NOT t.failed AND 2 * t.length >= s.longest AND"
    "  2 * t.runs >= s.most_runs ORDER BY t.expected_cost, t.number LIMIT 1),"
    " (SELECT t.id FROM trial t WHERE t.sweep = s.id AND t.cost < 1.797e308 AND"
    "  NOT t.failed AND 2 * t.length >= s.longest AND 2 * t.runs >= s.most_runs"
    "  ORDER BY t.cost, t.number LIMIT 1),"
    " (SELECT t.id FROM trial t WHERE t.sweep = s.id AND t.cost < 9e999"
    "  ORDER BY t.cost >= 1.797e308, t.failed, t.cost, t.number LIMIT 1))";

// The value of that trial; null if it diverged or, of a time, did not reach the bar.
inline constexpr auto first_value =
    joined("(SELECT ", value_of<"b.cost">.text, " FROM trial b WHERE b.id = ", first_trial, ")");

// The replicate of the run of trial `trial` with the best last report, of those that have one.
inline std::string first_run(const std::string& trial) {
  return "(SELECT replicate FROM run WHERE trial = " + trial +
         " AND best_cost < 9e999 ORDER BY cost, best_cost, replicate LIMIT 1)";
}

// A scalar subquery: the checkpoint of the best report of run r of trial t. That report may be of a
// run which the fork continues: then the checkpoint is that run's, if it is kept.
inline constexpr char best_model[] =
    "coalesce((SELECT id FROM model m WHERE m.trial = r.trial AND m.replicate = r.replicate"
    // A process that ended during the phase has left an earlier checkpoint of it.
    "  AND m.phase = r.best_phase AND m.step <= r.best_step"
    "  ORDER BY m.step DESC, id DESC LIMIT 1),"
    " (WITH RECURSIVE continued (trial, replicate) AS ("
    "  SELECT t.fork_trial, t.fork_replicate WHERE r.replicate = 0 AND r.best_phase <= t.fork_phase"
    "  UNION ALL SELECT o.fork_trial, o.fork_replicate FROM continued c JOIN trial o"
    "   ON o.id = c.trial WHERE c.replicate = 0 AND r.best_phase <= o.fork_phase)"
    "  SELECT m.id FROM continued c JOIN model m ON m.trial = c.trial AND m.replicate = c.replicate"
    "  WHERE m.phase = r.best_phase AND m.step <= r.best_step AND m.dropped_at IS NULL"
    "  ORDER BY m.step DESC, m.id DESC LIMIT 1))";

// What the phases of run r took. One that was not measured counts as the mean of the others.
inline constexpr char seconds_of_run[] = "iif(r.timed > 0, r.seconds * r.reports / r.timed, NULL)";

// A scalar subquery: the mean of that over the runs of trial t.
inline constexpr char seconds_of_trial[] =
    "(SELECT avg(x.seconds * x.reports / x.timed) FROM run x WHERE x.trial = t.id AND x.timed > 0)";

}  // namespace hone::sql
