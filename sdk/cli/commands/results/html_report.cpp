#include "sdk/cli/commands/results/html_report.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/base64.hpp"
#include "base/shown.hpp"
#include "schemas/types/methods.hpp"
#include "sdk/cli/commands/results/thinned.hpp"
#include "sdk/cli/render/fields.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cpp/client.hpp"

namespace hone::cli {
namespace {

constexpr std::string_view placeholder = "@REPORT@";
constexpr std::size_t routes_max = 100;  // of each member of /ui/report.json
constexpr int pages_max = 100;           // of one list

// "/v1/runs/{run}/curve" for the run.
std::string filled_in(std::string route, std::string_view name, std::string_view value) {
  const std::string mark = "{" + std::string(name) + "}";
  for (auto at = route.find(mark); at != route.npos; at = route.find(mark, at + value.size()))
    route.replace(at, mark.size(), value);
  return route;
}

// Refuses what is not the route of a read: the list comes from the server.
Result<std::vector<std::string>> routes_of(const Json& document, const std::string& name) {
  std::vector<std::string> routes;
  const Json& list = member(document, "/" + name);
  for (const Json& one : list.is_array() ? list : Json::array({list})) {
    if (!one.is_string() || !one.get_ref<const std::string&>().starts_with("/v1/") ||
        routes.size() == routes_max)
      return refuse(Code::invalid, "the server's list of routes for a report cannot be read", name);
    routes.push_back(one);
  }
  if (routes.empty())
    return refuse(Code::invalid, "the server's list of routes for a report is empty", name);
  return routes;
}

// Whether the server answered, and refused only this route: no importance of three trials.
bool is_about_route(Code code) {
  return code == Code::not_found || code == Code::conflict || code == Code::invalid ||
         code == Code::too_large || code == Code::forbidden;
}

// Collects the answers of a sweep.
class Report {
 public:
  Report(Session& session, SweepId sweep, const ReportBounds& bounds)
      : session_(session), sweep_(text(sweep)), bounds_(bounds) {}

  Result<std::string> write();

 private:
  Status read_routes();
  Status read_sweep();
  Status read_matrix();
  Status read_details();
  Status read_trial(const std::string& trial);
  Status read_population();
  [[nodiscard]] bool has_forks() const;
  Status record(const std::string& path);
  Result<Json> whole_list(const std::string& path);

  Session& session_;
  std::string sweep_;
  ReportBounds bounds_;
  std::map<std::string, std::vector<std::string>> routes_;
  Json answers_ = Json::object();
  Json refused_ = Json::object();
  Json about_ = Json::object();
  std::string matrix_;
  std::int64_t bytes_ = 0;
};

Status Report::read_routes() {
  const auto document = session_.get("/ui/report.json");
  if (!document)
    return document.error().code == Code::not_found
               ? refuse(Code::not_found,
                        "this server has no dashboard that could be exported; --format json and "
                        "--format curves need none")
               : document.error();
  for (const char* name : {"matrix", "trials", "runs", "sweep", "trial", "run", "population"}) {
    if (name == std::string_view("population") && !document->contains(name)) continue;  // older
    auto routes = routes_of(*document, name);
    if (!routes) return routes.error();
    routes_[name] = *std::move(routes);
  }
  return Done{};
}

// All pages of a list, as one.
Result<Json> Report::whole_list(const std::string& path) {
  auto whole = session_.get(path);
  if (!whole || path.find("limit=1000") == path.npos) return whole;
  for (int page = 1; member(*whole, "/next").is_string() && page < pages_max; ++page) {
    const auto next = session_.get(with_cursor(path, text_at(*whole, "/next")));
    if (!next) return next.error();
    for (const Json& item : member(*next, "/items")) (*whole)["items"].push_back(item);
    (*whole)["next"] = member(*next, "/next");
  }
  (*whole)["next"] = nullptr;  // a report cannot ask for more
  return whole;
}

Status Report::record(const std::string& path) {
  auto answer = whole_list(path);
  if (!answer && !is_about_route(answer.error().code)) return answer.error();
  if (!answer) {
    refused_[path] = answer.error().detail;
    return Done{};
  }
  if (path.find("/metrics?") != path.npos)
    (*answer)["thinned"] = thin_by_name((*answer)["items"], bounds_.points_per_metric_max);
  bytes_ += static_cast<std::int64_t>(to_text(*answer).size());
  answers_[path] = *std::move(answer);
  return Done{};
}

Status Report::read_sweep() {
  for (const auto& route : routes_["sweep"])
    if (auto done = record(filled_in(route, "sweep", sweep_)); !done) return done.error();
  const Json& sweep = member(answers_, "/~1v1~1sweeps~1" + sweep_);
  if (!sweep.is_object()) return refuse(Code::not_found, "there is no sweep " + sweep_);
  return Done{};
}

Status Report::read_matrix() {
  const Json& sweep = member(answers_, "/~1v1~1sweeps~1" + sweep_);
  std::int64_t runs = 0;
  for (const auto& [state, count] : member(sweep, "/runs").items()) runs += int_at(count, "");
  const std::int64_t phases = int_at(sweep, "/spec/budget/phases");
  const auto points =
      std::clamp<std::int64_t>(bounds_.curve_cells_max / std::max<std::int64_t>(1, runs), 2, 500);
  auto client = session_.client();
  if (!client) return client.error();
  const std::string route = filled_in(routes_["matrix"].front(), "sweep", sweep_);
  const auto bytes = (*client)->get_text(filled_in(route, "points", std::to_string(points)));
  if (!bytes) return bytes.error();
  matrix_ = base64_text(*bytes);
  about_["points"] = std::min(points, phases);
  about_["phases"] = phases;
  return Done{};
}

Status Report::read_trial(const std::string& trial) {
  for (const auto& route : routes_["trial"])
    if (auto done = record(filled_in(route, "trial", trial)); !done) return done.error();
  const std::string list = filled_in(routes_["runs"].front(), "trial", trial);
  if (auto done = record(list); !done) return done.error();
  if (!answers_.contains(list)) return Done{};
  const std::vector<Json> runs = items_at(answers_[list], "/items");
  for (std::size_t i = 0; i < runs.size() && i < std::size_t(bounds_.runs_per_trial_max) &&
                          bytes_ <= bounds_.details_bytes_max;
       ++i)
    for (const auto& route : routes_["run"])
      if (auto done = record(filled_in(route, "run", text_at(runs[i], "/id"))); !done)
        return done.error();
  return Done{};
}

// The best trials first, until the bounds are met.
Status Report::read_details() {
  const std::string route = filled_in(routes_["trials"].front(), "sweep", sweep_);
  const auto trials = session_.get(filled_in(route, "trials", std::to_string(bounds_.trials_max)));
  if (!trials) return trials.error();
  bytes_ = 0;
  int detailed = 0;
  for (const Json& trial : member(*trials, "/items")) {
    if (detailed == bounds_.trials_max || bytes_ > bounds_.details_bytes_max) break;
    if (auto done = read_trial(text_at(trial, "/id")); !done) return done.error();
    ++detailed;
  }
  about_["detailed"] = detailed;
  return Done{};
}

// Whether runs of the sweep continue others, as far as their details were read.
bool Report::has_forks() const {
  const std::string method =
      text_at(member(answers_, "/~1v1~1sweeps~1" + sweep_), "/spec/search/method");
  return is_population_method(method) ||
         std::any_of(answers_.begin(), answers_.end(), [](const Json& answer) {
           return member(answer, "/origin").is_object() || member(answer, "/successor").is_string();
         });
}

// All runs, with what each continues.
Status Report::read_population() {
  if (!has_forks()) return Done{};
  for (const auto& route : routes_["population"])
    if (auto done = record(filled_in(route, "sweep", sweep_)); !done) return done.error();
  return Done{};
}

Result<std::string> Report::write() {
  auto client = session_.client();
  if (!client) return client.error();
  if (auto done = read_routes(); !done) return done.error();
  const auto me = session_.get("/v1/me");
  if (!me) return me.error();
  for (auto step :
       {&Report::read_sweep, &Report::read_matrix, &Report::read_details, &Report::read_population})
    if (auto done = (this->*step)(); !done) return done.error();
  about_["sweep"] = sweep_;
  about_["at"] = member(*me, "/now");
  about_["version"] = member(*me, "/version");
  const auto page = (*client)->get_text("/ui/report.html");
  if (!page) return page.error();
  const auto at = page->find(placeholder);
  if (at == page->npos) return refuse(Code::internal, "the server's report has no place for data");
  const std::string data = shown_json(to_text(
      {{"about", about_}, {"matrix", matrix_}, {"answers", answers_}, {"refused", refused_}}));
  // No text of a sweep can end the element that holds it.
  std::string document = page->substr(0, at);
  for (const char c : data) c == '<' ? document += "\\u003c" : document += c;
  return document + page->substr(at + placeholder.size());
}

}  // namespace

Result<std::string> html_report(Session& session, SweepId sweep, const ReportBounds& bounds) {
  return Report(session, sweep, bounds).write();
}

}  // namespace hone::cli
