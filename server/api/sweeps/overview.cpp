// What a page shows first: the token, where a sweep is, how its best value improved.
#include "db/queries/overview.hpp"

#include <algorithm>
#include <cmath>

#include "db/queries/queries.hpp"
#include "db/queries/tokens.hpp"
#include "schemas/codec/words.hpp"
#include "schemas/types/reach.hpp"
#include "schemas/types/spec.hpp"
#include "server/api/arguments.hpp"
#include "server/api/outcome.hpp"
#include "server/api/progress.hpp"
#include "server/api/render.hpp"
#include "server/api/routes.hpp"
#include "server/limits.hpp"

namespace hone::api {
namespace {

Json scope_words(Scopes scopes) {
  Json list = Json::array();
  for (const auto scope : all_scopes)
    if (opens(scopes, scope)) list.push_back(word(scope));
  return list;
}

// The row of a live token; nullopt if requests need none.
std::optional<TokenRow> token_of(SQLite::Database& db, const Request& request) {
  const TokenId id = request.speaker.token;
  if (!id) return std::nullopt;
  const auto page = list_tokens(db, {1, std::to_string(id.value - 1)});
  if (!page || page->items.empty() || page->items[0].id != id) return std::nullopt;
  return page->items[0];
}

bool is_over(RunState state) {
  switch (state) {
    case RunState::completed:
    case RunState::stopped:
    case RunState::failed:
    case RunState::canceled:
      return true;
    case RunState::queued:
    case RunState::leased:
    case RunState::running:
    case RunState::paused:
      return false;
  }
  return false;
}

// What a sweep trained, and what its stops left out.
struct Units {
  std::int64_t trained = 0;
  std::int64_t left_out = 0;  // of stopped runs
};

Units units_of(const std::vector<EndGroup>& groups, std::int64_t per_run) {
  Units units;
  for (const auto& group : groups) {
    units.trained += group.steps;
    if (group.state == RunState::stopped)
      units.left_out += std::max<std::int64_t>(0, group.runs * per_run - group.steps);
  }
  return units;
}

Json render_ends(const std::vector<EndGroup>& groups, std::int64_t per_run) {
  Json list = Json::array();
  for (const auto& group : groups) {
    Json one;
    one["state"] = word(group.state);
    one["reason"] = word(group.reason);
    one["failure"] = word(group.failure);
    one["runs"] = group.runs;
    one["trained"] = group.steps;
    one["not_trained"] = is_over(group.state) && per_run > 0
                             ? Json(std::max<std::int64_t>(0, group.runs * per_run - group.steps))
                             : Json(nullptr);
    list.push_back(std::move(one));
  }
  return list;
}

Json render_pace(const Pace& pace, Instant now, Instant submitted) {
  const auto start = std::max(now - limits::pace_time, submitted);
  const double seconds = std::max(1.0, static_cast<double>((now - start).us) / 1e6);
  Json json;
  json["reports"] = pace.reports;
  json["seconds"] = std::round(seconds);
  json["per_second"] = static_cast<double>(pace.steps) / seconds;
  json["newest"] = or_null(pace.last);
  return json;
}

}  // namespace

// GET /v1/me
ReadResult me(SQLite::Database& db, const Request& request) {
  const Snapshot snapshot(db);
  const auto token = token_of(db, request);
  Json json;
  json["name"] = token ? Json(token->name) : Json(nullptr);
  json["token"] = token ? Json(text(token->id)) : Json(nullptr);
  json["scopes"] = scope_words(token ? token->scopes : Scopes(Scope::admin));
  json["version"] = HONE_VERSION;
  json["seq"] = last_seq(db);
  json["now"] = rfc3339(request.now);
  return json_response(json);
}

// GET /v1/sweeps/{sweep}/summary
ReadResult summary(SQLite::Database& db, const Request& request) {
  const auto id = path_id<SweepId>(request);
  if (!id) return id.error();
  const Snapshot snapshot(db);
  const auto sweep = find_sweep(db, *id);
  if (!sweep) return sweep.error();
  const auto spec = spec_of(*sweep);
  if (!spec) return spec.error();
  const auto groups = group_ends(db, *id);
  const auto units = units_of(groups, spec->budget.per_run);
  Json json = render(*sweep);
  json["seq"] = last_seq(db);
  json["ends"] = render_ends(groups, spec->budget.per_run);
  json["units"]["name"] = spec->budget.unit;
  json["units"]["per_run"] = spec->budget.per_run;
  json["units"]["trained"] = units.trained;
  json["units"]["not_trained"] = units.left_out;
  const auto pace = read_pace(db, *id, request.now - limits::pace_time);
  json["pace"] = render_pace(pace, request.now, sweep->submitted_at);
  json["eta"] = render_end(forecast_end(db, *sweep, *spec, request.now));
  json["outcome"] = render_outcome(db, *sweep, *spec);
  json["work"] = render_work(db, *sweep, request.now);
  return json_response(json);
}

namespace {

// The steps at which the best value improved.
class Steps {
 public:
  explicit Steps(Goal goal) : goal_(goal) {}
  void add(double x, TrialId trial, Score score) {
    end_ = std::max(end_, x);
    if (!score.has_number() || (best_ && score.merit(goal_) <= best_->merit(goal_))) return;
    best_ = score;
    Json point;
    point["x"] = x;
    point["value"] = score.value();
    point["trial"] = text(trial);
    points_.push_back(std::move(point));
  }
  void reach(double x) { end_ = std::max(end_, x); }
  // At most `most`: the first, the last and evenly chosen ones between.
  [[nodiscard]] Json points(std::size_t most) const {
    if (points_.size() <= most) return points_;
    Json chosen = Json::array();
    for (std::size_t i = 0; i < most; ++i)
      chosen.push_back(points_[i * (points_.size() - 1) / (most - 1)]);
    return chosen;
  }
  [[nodiscard]] std::size_t size() const { return points_.size(); }
  [[nodiscard]] double end() const { return end_; }

 private:
  Goal goal_;
  std::optional<Score> best_;
  Json points_ = Json::array();
  double end_ = 0;
};

struct TimedReport {
  Instant at;
  std::int64_t trained = 0;  // since the run's report before it
  TrialId trial;
  Score value;
};

// Under an objective of time a report counts as the time that its run took to reach the bar.
Score value_of(const ReportView& report, const Objective& objective) {
  const Score value = report.value ? Score::of(*report.value) : Score::diverged();
  if (!objective.reach) return value;
  if (!reaches(*objective.reach, value)) return Score::not_reached();
  return counted(objective, value, report.spent.value_or(static_cast<double>(report.step)));
}

std::vector<TimedReport> reports_by_time(SQLite::Database& db, SweepId sweep,
                                         const Objective& objective) {
  std::vector<TimedReport> reports;
  RunId run;
  std::int64_t before = 0;
  each_report(db, sweep, [&](const ReportView& report) {
    const RunId own{report.trial, report.replicate};
    if (own != run) before = 0;
    run = own;
    reports.push_back({report.at, std::max<std::int64_t>(0, report.step - before), report.trial,
                       value_of(report, objective)});
    before = report.step;
  });
  std::ranges::stable_sort(reports, {}, &TimedReport::at);
  return reports;
}

Status check_size(SQLite::Database& db, const SweepRow& sweep) {
  if (count_reports(db, sweep) <= limits::scanned_reports_max) return Done{};
  return refuse(Code::too_large, "the sweep has more than " +
                                     std::to_string(limits::scanned_reports_max) +
                                     " reports; use `hone export`");
}

Status add_steps(SQLite::Database& db, const SweepRow& sweep, const std::string& by, Steps& steps) {
  if (by == "trial") {
    for (const auto& mark : improvements(db, sweep.id, sweep.objective.goal))
      steps.add(static_cast<double>(mark.number + 1), mark.trial, mark.value);
    steps.reach(static_cast<double>(last_number(db, sweep.id) + 1));
    return Done{};
  }
  if (auto fits = check_size(db, sweep); !fits) return fits;
  double trained = 0;
  const auto spec = spec_of(sweep);
  if (!spec) return spec.error();
  for (const auto& report : reports_by_time(db, sweep.id, spec->objective)) {
    trained += static_cast<double>(report.trained);
    const double seconds = static_cast<double>((report.at - sweep.submitted_at).us) / 1e6;
    steps.add(by == "time" ? seconds : trained, report.trial, report.value);
  }
  return Done{};
}

}  // namespace

// GET /v1/sweeps/{sweep}/history
ReadResult history(SQLite::Database& db, const Request& request) {
  const auto id = path_id<SweepId>(request);
  if (!id) return id.error();
  const auto most = integer_query(request, Query::points, 500, 2, limits::history_points_max);
  if (!most) return most.error();
  const auto* given = query_value(request, Query::by);
  const std::string by = given == nullptr ? "trial" : *given;
  if (by != "trial" && by != "time" && by != "spent")
    return refuse(Code::invalid, "by must be trial, time or spent", "/by");
  const Snapshot snapshot(db);
  const auto sweep = find_sweep(db, *id);
  if (!sweep) return sweep.error();
  Steps steps(sweep->objective.goal);
  if (auto added = add_steps(db, *sweep, by, steps); !added) return added.error();
  Json json;
  json["seq"] = last_seq(db);
  json["sweep"] = text(*id);
  json["by"] = by;
  json["points"] = steps.points(static_cast<std::size_t>(*most));
  json["improvements"] = steps.size();
  json["end"] = steps.end();
  return json_response(json);
}

}  // namespace hone::api
