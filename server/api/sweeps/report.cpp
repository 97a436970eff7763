// The answers that the pages of one sweep ask for, as one document: what `hone export --html` and
// the page put into the one HTML file of a sweep (decision 070). Made in pieces, an answer each.
#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "base/base64.hpp"
#include "base/shown.hpp"
#include "db/queries/queries.hpp"
#include "schemas/types/spec.hpp"
#include "server/api/arguments.hpp"
#include "server/api/inside.hpp"
#include "server/api/progress.hpp"
#include "server/api/routes.hpp"
#include "server/api/sweeps/thinned.hpp"
#include "server/limits.hpp"

namespace hone::api {
namespace {

// What the pages read (dashboard/pages), with {id} for the sweep, trial or run. A page of a report
// that asks for another one fails in tests/dashboard/test_report.py.
constexpr std::array sweep_routes{
    "/v1/sweeps/{id}",
    "/v1/sweeps/{id}/summary",
    "/v1/sweeps/{id}/best?limit=10",
    "/v1/sweeps/{id}/best?limit=1",
    "/v1/sweeps/{id}/history?by=trial",
    "/v1/sweeps/{id}/history?by=time",
    "/v1/sweeps/{id}/history?by=spent",
    "/v1/sweeps/{id}/columns?fields=trial,number,state,value,confirmed,expected,tier,phase,seeds,"
    "pinned,steps,seconds,further.*,reason,params.*",
    "/v1/sweeps/{id}/phases",
    "/v1/sweeps/{id}/importance",
    "/v1/sweeps/{id}/pareto?limit=1000",
    "/v1/sweeps/{id}/confirm",
    "/v1/about/{id}",
    "/v1/lineage/{id}"};
constexpr std::array trial_routes{
    "/v1/trials/{id}",
    "/v1/trials/{id}/curve",
    "/v1/trials/{id}/explain",
    "/v1/about/{id}",
    "/v1/find?where=evaluations%20where%20trial%20%3D%20{id}&limit=200",
    "/v1/lineage/{id}"};
constexpr std::array run_routes{"/v1/runs/{id}",
                                "/v1/about/{id}",
                                "/v1/runs/{id}/curve",
                                "/v1/runs/{id}/attempts",
                                "/v1/runs/{id}/artifacts",
                                "/v1/runs/{id}/explain",
                                "/v1/models?run={id}",
                                "/v1/find?where=evaluations%20where%20run%20%3D%20{id}&limit=200",
                                "/v1/runs/{id}/metrics?limit=1000",
                                "/v1/lineage/{id}"};

std::string filled_in(std::string route, std::string_view id) {
  constexpr std::string_view mark = "{id}";
  return route.replace(route.find(mark), mark.size(), id);
}

// Whether the answer is about the route alone: there is no importance of three trials.
bool is_about_route(Code code) { return code != Code::timed_out && code != Code::internal; }

// The cursor of the next page of a list; "" without one.
std::string next_of(const Json& list) {
  const auto next = list.find("next");
  return next != list.end() && next->is_string() ? next->get<std::string>() : std::string();
}

// No text of a sweep can end the element of HTML that holds the document.
std::string as_html_data(std::string_view json) {
  std::string out;
  const std::string shown = shown_json(json);
  out.reserve(shown.size());
  for (const char c : shown) c == '<' ? out += "\\u003c" : out += c;
  return out;
}

class SweepReport final : public Pieces {
 public:
  SweepReport(const Request& request, const SweepRow& sweep, bool is_population)
      : request_(request), id_(text(sweep.id)), has_forks_(is_population) {
    request_.stop = nullptr;  // of the read that began it
    phases_ = sweep.phases_per_run;
    points_ = std::clamp<std::int64_t>(
        limits::report_cells_max / std::max<std::int64_t>(1, sweep.runs.all()), 2, 500);
    for (const auto* route : sweep_routes) steps_.push_back({Kind::answer, filled_in(route, id_)});
    steps_.push_back({Kind::trials, "/v1/sweeps/" + id_ + "/trials?sort=value&limit=" +
                                        std::to_string(limits::report_trials_max)});
    steps_.push_back({Kind::forks, "/v1/sweeps/" + id_ + "/runs?limit=1000"});
    steps_.push_back({Kind::end, ""});
  }

  Result<std::string> next(SQLite::Database& db) override {
    const Step step = std::move(steps_.front());
    steps_.pop_front();
    Result<std::string> piece = std::string();
    switch (step.kind) {
      case Kind::answer:
        piece = answer(db, step.name);
        break;
      case Kind::trials:
        piece = list_trials(db, step.name);
        break;
      case Kind::trial:
        begin_trial(step.name);
        break;
      case Kind::runs:
        piece = list_runs(db, step.name);
        break;
      case Kind::run:
        begin_run(step.name);
        break;
      case Kind::forks:
        if (has_forks_) piece = answer(db, step.name);
        break;
      case Kind::end:
        piece = end(db);
        break;
    }
    if (!piece || piece->empty()) return piece;
    if (!std::exchange(begun_, true)) piece = "{\"answers\":{" + *piece;
    return as_html_data(*piece);
  }
  [[nodiscard]] bool ended() const override { return steps_.empty(); }

 private:
  enum class Kind { answer, trials, trial, runs, run, forks, end };
  struct Step {
    Kind kind;
    std::string name;  // a path, or the id of a trial or run
  };

  // The answer to a path as a member of the document; nothing where the route refused.
  Result<std::string> answer(SQLite::Database& db, const std::string& path) {
    auto body = body_of(db, path);
    if (body) {
      details_bytes_ += static_cast<std::int64_t>(body->size());
      has_forks_ = has_forks_ || body->find("\"origin\":{") != body->npos ||
                   body->find("\"successor\":\"") != body->npos;
      return (std::exchange(has_answers_, true) ? "," : "") + to_text(Json(path)) + ":" + *body;
    }
    if (!is_about_route(body.error().code)) return body.error();
    refused_[path] = body.error().detail;
    return std::string();
  }

  // All pages of a list are one: a report cannot ask for more.
  Result<std::string> body_of(SQLite::Database& db, const std::string& path) {
    auto first = answer_inside(db, request_, path);
    if (!first) return first.error();
    if (path.find("limit=1000") == path.npos) return std::move(first->body);
    auto whole = parse_json(first->body);
    if (!whole) return whole.error();
    std::string after = next_of(*whole);
    for (int page = 1; !after.empty() && page < limits::report_pages_max; ++page) {
      const auto more = answer_inside(db, request_, path, after);
      if (!more) return more.error();
      auto next = parse_json(more->body);
      if (!next) return next.error();
      for (Json& item : next->at("items")) whole->at("items").push_back(std::move(item));
      after = next_of(*next);
    }
    (*whole)["next"] = nullptr;
    if (path.find("/metrics?") != path.npos)
      (*whole)["thinned"] = thin_by_name(whole->at("items"), limits::report_series_points_max);
    return to_text(*whole);
  }

  // The best trials, each to be read with its runs until the bounds are met.
  Result<std::string> list_trials(SQLite::Database& db, const std::string& path) {
    const auto ids = ids_of(db, path);
    if (!ids) return ids.error();
    details_bytes_ = 0;
    prepend(Kind::trial, *ids);
    return std::string();
  }
  Result<std::string> list_runs(SQLite::Database& db, const std::string& path) {
    auto ids = ids_of(db, path);
    if (!ids) return ids.error();
    if (ids->size() > limits::report_runs_max) ids->resize(limits::report_runs_max);
    prepend(Kind::run, *ids);
    return answer(db, path);
  }
  Result<std::vector<std::string>> ids_of(SQLite::Database& db, const std::string& path) {
    const auto list = answer_inside(db, request_, path);
    if (!list) return list.error();
    const auto items = parse_json(list->body);
    if (!items) return items.error();
    std::vector<std::string> ids;
    for (const Json& item : items->at("items")) ids.push_back(item.at("id"));
    return ids;
  }

  void begin_trial(const std::string& id) {
    if (details_bytes_ > limits::report_details_bytes_max) return;
    ++detailed_;
    steps_.push_front({Kind::runs, "/v1/trials/" + id + "/runs?limit=1000"});
    prepend_routes(trial_routes, id);
  }
  void begin_run(const std::string& id) {
    if (details_bytes_ <= limits::report_details_bytes_max) prepend_routes(run_routes, id);
  }
  void prepend(Kind kind, const std::vector<std::string>& names) {
    for (std::size_t i = names.size(); i > 0; --i) steps_.push_front({kind, names[i - 1]});
  }
  void prepend_routes(const auto& routes, const std::string& id) {
    std::vector<std::string> paths;
    for (const auto* route : routes) paths.push_back(filled_in(route, id));
    prepend(Kind::answer, paths);
  }

  // What follows the answers: what was refused, the curves, and what the report is.
  Result<std::string> end(SQLite::Database& db) {
    const auto matrix = answer_inside(
        db, request_, "/v1/sweeps/" + id_ + "/curves/matrix?points=" + std::to_string(points_));
    if (!matrix) return matrix.error();
    const Json about{{"points", std::min(points_, phases_)},
                     {"phases", phases_},
                     {"detailed", detailed_},
                     {"sweep", id_},
                     {"at", rfc3339(request_.now)},
                     {"version", HONE_VERSION}};
    return "},\"refused\":" + to_text(refused_) + ",\"matrix\":\"" + base64_text(matrix->body) +
           "\",\"about\":" + to_text(about) + "}";
  }

  Request request_;
  std::string id_;
  std::deque<Step> steps_;  // in order
  Json refused_ = Json::object();
  std::int64_t phases_ = 0;
  std::int64_t points_ = 0;  // of a curve
  std::int64_t details_bytes_ = 0;
  int detailed_ = 0;  // trials
  bool has_forks_;    // some run continues another
  bool has_answers_ = false;
  bool begun_ = false;
};

}  // namespace

// GET /v1/sweeps/{sweep}/report
Result<std::unique_ptr<Pieces>> report(SQLite::Database& db, const Request& request) {
  const auto id = path_id<SweepId>(request);
  if (!id) return id.error();
  const Snapshot snapshot(db);
  const auto sweep = find_sweep(db, *id);
  if (!sweep) return sweep.error();
  const auto spec = spec_of(*sweep);
  if (!spec) return spec.error();
  return std::unique_ptr<Pieces>(
      std::make_unique<SweepReport>(request, *sweep, is_population(*spec)));
}

}  // namespace hone::api
