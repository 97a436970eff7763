#include "db/projection/trial_value.hpp"

#include <SQLiteCpp/Statement.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "db/sql.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/codec/words.hpp"
#include "schemas/types/aggregate.hpp"
#include "schemas/types/evidence.hpp"
#include "schemas/types/spec.hpp"

namespace hone {

// How a sweep makes one value of a trial's runs.
struct TrialValueRule {
  Aggregate aggregate = Aggregate::mean;
  bool multi_seed = false;
  int first = 1;          // runs that every trial starts with
  bool rescaled = false;  // values of different problems are made comparable when they are read
  Objective objective{};
  int phases = 1;
};

namespace {

constexpr std::size_t rules_max = 1024;  // sweeps whose rule is cached

constexpr double failed_merit = -std::numeric_limits<double>::infinity();

struct SeedRow {
  int replicate = 0;
  int reports = 0;
  double last = 0;  // merit of its last report; larger is better
  bool ended = false;
  bool completed = false;
  bool counts = true;  // its end is evidence about the parameters
  bool evicted = false;

  [[nodiscard]] bool diverged() const { return reports > 0 && std::isinf(last); }
  [[nodiscard]] bool failed() const {
    return diverged() || (ended && counts && !completed && !evicted);
  }
  [[nodiscard]] bool reaches(int phases) const {
    return reports >= phases || failed() || (completed && !diverged());
  }
};

struct TrialValue {
  std::vector<double> merits;
  int length = 0;
  bool failed = false;
};

double merit_of(double cost) { return cost == sql::cost_diverged ? failed_merit : 0.0 - cost; }

double cost_of_merit(double merit) {
  if (std::isinf(merit) && merit < 0) return sql::cost_diverged;
  return std::clamp(0.0 - merit, -sql::cost_diverged, sql::cost_diverged);  // a sum may overflow
}

// The phases that all first runs have reported; if none of them can report any more, those that any
// run has reported.
int common_length(const std::vector<SeedRow>& seeds, const TrialValueRule& rule) {
  const auto awaits = [&](const SeedRow& one) {
    return one.replicate < rule.first && (!one.ended || one.counts);
  };
  int furthest = 0;
  for (const SeedRow& one : seeds) furthest = std::max(furthest, one.reports);
  for (int length = furthest; length > 0; --length) {
    const auto reaches = [&](const SeedRow& one) { return one.reaches(length); };
    if (std::none_of(seeds.begin(), seeds.end(), reaches)) continue;
    if (std::all_of(seeds.begin(), seeds.end(),
                    [&](const SeedRow& one) { return !awaits(one) || reaches(one); }))
      return length;
  }
  return 0;
}

}  // namespace

struct TrialValues::Statements {
  explicit Statements(SQLite::Database& database) : db(database) {}
  SQLite::Database& db;
  std::map<SweepId, TrialValueRule> rules;

  SQLite::Statement spec{db, "SELECT spec FROM sweep WHERE id = ?"};
  SQLite::Statement report_single{
      db,
      "UPDATE trial SET cost = ?2, best_cost = min(best_cost, ?2), phase = ?3, length = ?3,"
      " seeds = 1 WHERE id = ?1 AND runs = 1"};
  // The end of a trial's only run leaves its value as it is, unless the run failed.
  SQLite::Statement close_single{db, "UPDATE trial SET failed = 0 WHERE id = ? AND runs = 1"};
  SQLite::Statement reached{db, "UPDATE sweep SET longest = ?2 WHERE id = ?1 AND longest < ?2"};
  SQLite::Statement repeated{
      db,
      "UPDATE sweep SET most_runs = max(most_runs, (SELECT runs FROM trial WHERE id = ?2))"
      " WHERE id = ?1"};
  SQLite::Statement runs{
      db,
      "SELECT replicate, reports, cost, state, reason, failure FROM run WHERE trial = ?"
      " ORDER BY replicate"};
  SQLite::Statement report{
      db, "SELECT value, step, spent FROM report WHERE trial = ? AND replicate = ? AND phase = ?"};
  SQLite::Statement report_trial{
      db, "UPDATE trial SET best_cost = min(best_cost, ?2), phase = max(phase, ?3) WHERE id = ?1"};
  SQLite::Statement value_trial{
      db, "UPDATE trial SET cost = ?2, length = ?3, seeds = ?4, failed = ?5 WHERE id = ?1"};
  SQLite::Statement originals{
      db,
      "SELECT DISTINCT t.origin FROM trial t JOIN sweep c ON c.id = t.sweep"
      " JOIN trial o ON o.id = t.origin WHERE c.id = ? AND o.sweep = c.confirms"};
  SQLite::Statement confirming{
      db,
      "SELECT t.id, c.id FROM sweep c JOIN trial t ON t.sweep = c.id WHERE c.confirms ="
      " (SELECT sweep FROM trial WHERE id = ?1) AND t.origin = ?1 AND c.ended_at IS NOT NULL"
      " ORDER BY t.id"};
  SQLite::Statement confirm_trial{
      db, "UPDATE trial SET confirmed_cost = ?2, confirmed_seeds = ?3 WHERE id = ?1"};

  SQLite::Statement forget_expected{
      db,
      "UPDATE trial SET expected_cost = NULL, expected_low = NULL, expected_high = NULL"
      " WHERE sweep = ? AND expected_cost IS NOT NULL"};
  SQLite::Statement expect_trial{
      db,
      "UPDATE trial SET expected_cost = ?2, expected_low = ?3, expected_high = ?4 WHERE id = ?1"};
  SQLite::Statement note_noise{db, "UPDATE sweep SET noise = ?2 WHERE id = ?1"};

  const TrialValueRule& rule_of(SweepId sweep);
  std::vector<SeedRow> seeds_of(SweepId sweep, TrialId trial);
  std::optional<double> merit_at(SweepId sweep, RunId run, int phase);
  TrialValue value_of(SweepId sweep, TrialId trial);
};

const TrialValueRule& TrialValues::Statements::rule_of(SweepId sweep) {
  if (const auto known = rules.find(sweep); known != rules.end()) return known->second;
  sql::bind(spec, sweep);
  const std::string text = spec.executeStep() ? spec.getColumn(0).getString() : "";
  spec.reset();
  const auto document = parse_json(text);
  const auto read =
      document ? decode_recorded<SweepSpec>(*document) : Result<SweepSpec>(document.error());
  if (!read) throw std::runtime_error("the spec of " + hone::text(sweep) + " cannot be read");
  if (rules.size() >= rules_max) rules.clear();
  const int first = first_runs(*read);
  return rules[sweep] = {read->replicates.aggregate,
                         first > 1 || most_runs(*read) > 1,
                         first,
                         hone::rescaled(*read),
                         read->objective,
                         read->budget.phases};
}

std::vector<SeedRow> TrialValues::Statements::seeds_of(SweepId sweep, TrialId trial) {
  const TrialValueRule& rule = rule_of(sweep);
  std::vector<SeedRow> seeds;
  sql::bind(runs, trial);
  while (runs.executeStep()) {
    sql::Columns c(runs);
    SeedRow seed;
    seed.replicate = c.small();
    seed.reports = c.small();
    seed.last = merit_of(c.real());
    const RunState state = c.word<RunState>();
    const EndReason reason = c.word<EndReason>();
    const Failure failure = c.word<Failure>();
    seed.ended = is_end(state);
    seed.completed = state == RunState::completed;
    seed.counts = !seed.ended || informs(reason, failure);
    seed.evicted = seed.ended && closes(reason);
    if (rule.objective.reach && -seed.last < some_not_reached_from) seed.reports = rule.phases;
    seeds.push_back(seed);
  }
  runs.reset();
  return seeds;
}

// nullopt if there is no such report: the run reached its bar before.
std::optional<double> TrialValues::Statements::merit_at(SweepId sweep, RunId run, int phase) {
  const Objective& objective = rule_of(sweep).objective;
  sql::bind(report, run.trial, run.replicate, phase);
  std::optional<double> merit;
  if (report.executeStep()) {
    sql::Columns c(report);
    const auto value = c.maybe(&sql::Columns::real);
    const auto step = c.integer();
    const auto spent = c.maybe(&sql::Columns::real);
    merit = value ? hone::counted(objective, Score::of(*value),
                                  spent.value_or(static_cast<double>(step)))
                        .merit(objective.goal)
                  : failed_merit;
  }
  report.reset();
  return merit;
}

// The same as SeedCurves and History::outcome in server/search, from the query tables.
TrialValue TrialValues::Statements::value_of(SweepId sweep, TrialId trial) {
  const TrialValueRule& rule = rule_of(sweep);
  const auto seeds = seeds_of(sweep, trial);
  TrialValue value;
  value.failed = !seeds.empty() && std::all_of(seeds.begin(), seeds.end(),
                                               [](const SeedRow& one) { return one.failed(); });
  if (!rule.multi_seed) {
    for (const SeedRow& one : seeds) value.length = std::max(value.length, one.reports);
    for (const SeedRow& one : seeds)
      if (one.reports == value.length && value.length > 0) value.merits.push_back(one.last);
    return value;
  }
  value.length = common_length(seeds, rule);
  for (const SeedRow& one : seeds) {
    if (value.length == 0 || !one.reaches(value.length)) continue;
    const bool short_of_it = one.reports < value.length;
    value.merits.push_back(
        one.reports > value.length
            ? merit_at(sweep, {trial, one.replicate}, value.length - 1).value_or(one.last)
        : short_of_it && one.failed() ? failed_merit
                                      : one.last);
  }
  return value;
}

TrialValues::TrialValues(SQLite::Database& db) : statements_(std::make_unique<Statements>(db)) {}
TrialValues::~TrialValues() = default;

void TrialValues::forget() { statements_->rules.clear(); }

void TrialValues::assess(SweepId sweep, TrialId trial) {
  Statements& s = *statements_;
  const TrialValue value = s.value_of(sweep, trial);
  const TrialValueRule& rule = s.rule_of(sweep);
  double cost = sql::cost_none;
  if (!value.merits.empty() && rule.multi_seed)
    cost = cost_of_merit(aggregate_of(rule.aggregate, value.merits));
  else if (!value.merits.empty())
    cost = cost_of_merit(std::accumulate(value.merits.begin(), value.merits.end(), 0.0) /
                         static_cast<double>(value.merits.size()));
  sql::run(s.value_trial, trial, cost, value.length, static_cast<int>(value.merits.size()),
           static_cast<int>(value.failed));
  sql::run(s.reached, sweep, value.length);
}

Score TrialValues::counted(SweepId sweep, Score value, std::int64_t step,
                           std::optional<double> spent) {
  const double time = spent.value_or(static_cast<double>(step));
  return hone::counted(statements_->rule_of(sweep).objective, value, time);
}

// A run that has reached its bar counts as complete.
void TrialValues::reported(SweepId sweep, RunId run, int phase, double cost) {
  Statements& s = *statements_;
  const TrialValueRule& rule = s.rule_of(sweep);
  if (rule.objective.reach && cost < some_not_reached_from) phase = rule.phases - 1;
  if (sql::run(s.report_single, run.trial, cost, phase + 1) > 0) {
    sql::run(s.reached, sweep, phase + 1);
    return;
  }
  sql::run(s.report_trial, run.trial, cost, phase + 1);
  assess(sweep, run.trial);
}

void TrialValues::ended(SweepId sweep, TrialId trial, bool failed) {
  const bool unchanged = !failed && sql::run(statements_->close_single, trial) > 0;
  if (!unchanged) assess(sweep, trial);
}

void TrialValues::expected(const TrialsExpected& e) {
  Statements& s = *statements_;
  const Goal goal = s.rule_of(e.sweep).objective.goal;
  sql::run(s.forget_expected, e.sweep);
  for (const ExpectedValue& one : e.trials)
    sql::run(s.expect_trial, one.trial, sql::cost_of(Score::of(one.value), goal), one.low,
             one.high);
  sql::run(s.note_noise, e.sweep,
           e.trials.empty() ? std::optional<double>() : std::optional(e.noise));
}

void TrialValues::added(SweepId sweep, TrialId trial) {
  if (statements_->rule_of(sweep).multi_seed) sql::run(statements_->repeated, sweep, trial);
  assess(sweep, trial);
}

// Over all confirmations of the sweep that have ended, since they share no seed.
void TrialValues::confirmed(SweepId confirmation) {
  Statements& s = *statements_;
  if (s.rule_of(confirmation).rescaled) return;
  std::vector<TrialId> originals;
  for (sql::bind(s.originals, confirmation); s.originals.executeStep();)
    originals.push_back(sql::Columns(s.originals).id<TrialId>());
  s.originals.reset();
  for (const TrialId original : originals) {
    std::vector<double> merits;
    Aggregate aggregate = Aggregate::iqm;
    std::vector<std::pair<TrialId, SweepId>> trials;
    for (sql::bind(s.confirming, original); s.confirming.executeStep();) {
      sql::Columns c(s.confirming);
      const auto trial = c.id<TrialId>();
      trials.emplace_back(trial, c.id<SweepId>());
    }
    s.confirming.reset();
    for (const auto& [trial, sweep] : trials) {
      aggregate = s.rule_of(sweep).aggregate;
      for (const SeedRow& one : s.seeds_of(sweep, trial))
        if (one.ended && one.counts && !one.evicted)
          merits.push_back(one.failed() ? failed_merit : one.last);
    }
    if (!merits.empty())
      sql::run(s.confirm_trial, original, cost_of_merit(aggregate_of(aggregate, merits)),
               static_cast<int>(merits.size()));
  }
}

}  // namespace hone
