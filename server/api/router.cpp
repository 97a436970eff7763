#include "server/api/router.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <nlohmann/json.hpp>

#include "base/nearest.hpp"
#include "base/sha256.hpp"
#include "db/queries/tokens.hpp"
#include "schemas/codec/words.hpp"
#include "server/api/command_routes.hpp"
#include "server/api/reads.hpp"
#include "server/api/replicates.hpp"
#include "server/api/routes.hpp"
#include "server/limits.hpp"

namespace hone::api {
namespace {

constexpr auto get = Method::get;
constexpr auto post = Method::post;
constexpr auto put = Method::put;

constexpr QuerySet paged{Query::limit, Query::after};
constexpr QuerySet filtered = paged | Query::where;

constexpr Scopes anyone;  // needs no token
constexpr Scopes needs_read = Scope::read;
constexpr Scopes needs_submit = Scope::submit;
constexpr Scopes needs_work = Scope::worker;
constexpr Scopes needs_blobs = Scope::read | Scope::worker | Scope::replica;
constexpr Scopes needs_submit_or_work = Scope::submit | Scope::worker;
constexpr Scopes needs_any = Scope::submit | Scope::admin | needs_blobs;
constexpr Scopes needs_admin = Scope::admin;
constexpr Scopes needs_replica = Scope::replica;

constexpr std::array table{
    Route{get, "/healthz", anyone, Probe{health}},
    Route{get, "/readyz", anyone, Probe{ready}},
    Route{get, "/metrics", needs_read, Read{prometheus}},
    Route{get, "/v1/version", needs_read, Probe{version}},
    Route{get, "/v1/me", needs_any, Read{me}},

    Route{post, "/v1/sweeps", needs_submit,
          Write{parse_submit, render_answer<Submit>, check_code_submitted}},
    Route{get, "/v1/sweeps", needs_read, Read{sweeps, filtered | Query::all}},
    Route{post, "/v1/plan", needs_submit, Read{plan, {}, Weight::heavy, limits::body_bytes_max}},
    Route{get, "/v1/sweeps/{sweep}", needs_read, Read{sweep}},
    Route{post, "/v1/sweeps/{sweep}/steer", needs_submit, write_to<&Steer::sweep>()},
    Route{post, "/v1/sweeps/{sweep}/ask", needs_submit, write_to<&Ask::sweep>()},
    Route{post, "/v1/sweeps/{sweep}/enqueue", needs_submit, write_to<&Enqueue::sweep>()},
    Route{post, "/v1/sweeps/{sweep}/confirm", needs_submit, write_to<&Confirm::sweep>()},
    Route{get, "/v1/sweeps/{sweep}/confirm", needs_read, Read{confirmation, {}, Weight::heavy}},
    Route{get, "/v1/sweeps/{sweep}/trials", needs_read, Read{trials, filtered | Query::sort}},
    Route{get, "/v1/sweeps/{sweep}/best", needs_read,
          Read{best, {Query::limit, Query::where, Query::by, Query::within}, Weight::heavy}},
    Route{get, "/v1/sweeps/{sweep}/incumbent", needs_read, Read{incumbent, {}, Weight::heavy}},
    Route{get, "/v1/sweeps/{sweep}/pareto", needs_read,
          Read{pareto, {Query::limit}, Weight::heavy}},
    Route{get, "/v1/sweeps/{sweep}/importance", needs_read,
          Read{importance, {Query::objective, Query::where}, Weight::heavy}},
    Route{get, "/v1/sweeps/{sweep}/curves", needs_read, Read{curves, paged}},
    Route{get, "/v1/sweeps/{sweep}/curves/matrix", needs_read,
          Read{curves_matrix, {Query::points}, Weight::heavy}},
    Route{get, "/v1/sweeps/{sweep}/phases", needs_read, Read{phases}},
    Route{get, "/v1/sweeps/{sweep}/summary", needs_read, Read{summary}},
    Route{get, "/v1/sweeps/{sweep}/history", needs_read, Read{history, {Query::by, Query::points}}},
    Route{get, "/v1/sweeps/{sweep}/columns", needs_read,
          Read{columns, {Query::fields, Query::after, Query::where}, Weight::heavy}},
    Route{get, "/v1/sweeps/{sweep}/runs", needs_read, Read{runs_of_sweep, filtered}},
    Route{get, "/v1/sweeps/{sweep}/export", needs_read, Piecewise{export_sweep}},
    Route{get, "/v1/sweeps/{sweep}/report", needs_read, Piecewise{report}},
    Route{get, "/v1/sweeps/{sweep}/replay", needs_read, Read{replay, {}, Weight::heavy}},
    Route{post, "/v1/sweeps/{sweep}/archive", needs_submit, write_to<&Archive::sweep>()},
    Route{post, "/v1/sweeps/{sweep}/edit", needs_submit,
          write_to<&Edit::sweep>({.check = check_code_edited})},
    Route{post, "/v1/trials/{trial}/pin", needs_submit, write_to<&Pin::trial>()},

    Route{get, "/v1/trials/{trial}", needs_read, Read{one<find_trial>}},
    Route{post, "/v1/trials/{trial}/tell", needs_submit, write_to<&Tell::trial>()},
    Route{get, "/v1/trials/{trial}/runs", needs_read, Read{runs, filtered}},
    Route{get, "/v1/trials/{trial}/curve", needs_read, Read{trial_curve}},
    Route{get, "/v1/trials/{trial}/explain", needs_read, Read{explain_trial}},
    Route{get, "/v1/runs/{run}", needs_read, Read{one<find_run>}},
    Route{get, "/v1/runs/{run}/attempts", needs_read, Read{page<list_attempts>, paged}},
    Route{get, "/v1/runs/{run}/curve", needs_read, Read{curve}},
    Route{get, "/v1/runs/{run}/metrics", needs_read,
          Read{metrics, paged | Query::name | Query::fields}},
    Route{get, "/v1/runs/{run}/artifacts", needs_read, Read{artifacts}},
    Route{get, "/v1/runs/{run}/explain", needs_read, Read{explain_run}},
    Route{get, "/v1/runs/{run}/log", needs_read,
          Read{run_log, {Query::attempt, Query::from, Query::tail, Query::encoding}}},

    Route{post, "/v1/workers", needs_work, write<Join>()},
    Route{get, "/v1/workers", needs_read, Read{workers, paged}},
    Route{get, "/v1/workers/{worker}", needs_read, Read{worker}},
    Route{get, "/v1/workers/{worker}/history", needs_read,
          Read{worker_history, {Query::from, Query::to, Query::pixels}}},
    Route{post, "/v1/workers/{worker}/beat", needs_work, write_to<&Beat::worker>()},
    Route{post, "/v1/workers/{worker}/log", needs_work, PutLog{}},
    Route{post, "/v1/workers/{worker}/allow", needs_admin, write_to<&Allow::worker>()},

    Route{post, "/v1/leases", needs_work, write<Acquire>({.take_back = take_back_lease})},
    Route{post, "/v1/leases/{lease}/reports", needs_work, write_to<&Report::lease>()},
    Route{post, "/v1/leases/{lease}/code", needs_work, write_to<&RecordCode::lease>()},
    Route{post, "/v1/leases/{lease}/models", needs_work,
          write_to<&SaveModel::lease>({.check = check_save_model})},
    Route{post, "/v1/leases/{lease}/artifacts", needs_work,
          write_to<&SaveArtifact::lease>({.check = check_save_artifact})},
    Route{post, "/v1/leases/{lease}/metrics", needs_work, write_to<&LogMetrics::lease>()},
    Route{post, "/v1/leases/{lease}/end", needs_work, write_to<&End::lease>()},

    Route{get, "/v1/models", needs_read,
          Read{models, paged | Query::sweep | Query::trial | Query::run}},
    Route{get, "/v1/models/{model}", needs_read, Read{one<find_model>}},
    Route{post, "/v1/models/{model}/evaluations", needs_submit, write_to<&Evaluate::model>()},
    Route{get, "/v1/evaluations/{evaluation}", needs_read, Read{one<find_evaluation>}},
    Route{put, "/v1/blobs/{sha256}", needs_submit_or_work, PutBlob{}},
    Route{get, "/v1/blobs/{sha256}", needs_blobs, GetBlob{}},

    Route{get, "/v1/tokens", needs_admin, Read{page<list_tokens>, paged}},
    Route{post, "/v1/tokens", needs_admin, write<CreateToken>()},
    Route{post, "/v1/tokens/{token}/revoke", needs_admin,
          write_to<&RevokeToken::token, render_done>()},

    Route{post, "/v1/standby/pull", needs_replica, PullPage{}},

    Route{post, "/v1/fleets", needs_admin, Write{parse_fleet, render_answer<SetFleet>}},
    Route{get, "/v1/fleets", needs_read, Read{fleets, paged}},
    Route{get, "/v1/fleets/{fleet}", needs_read, Read{fleet}},
    Route{get, "/v1/fleets/{fleet}/pilots", needs_read, Read{pilots, paged}},
    Route{get, "/v1/pilots/{pilot}/log", needs_read, Read{pilot_log}},
    Route{post, "/v1/fleets/{fleet}/stop", needs_admin, write_to<&StopFleet::fleet>()},
    Route{post, "/v1/fleets/{fleet}/forget", needs_admin, write_to<&ForgetFleet::fleet>()},

    Route{get, "/v1/studies/{study}", needs_read, Read{study_findings, {}, Weight::heavy}},
    Route{get, "/v1/find", needs_read, Read{find, filtered, Weight::heavy}},
    Route{get, "/v1/about/{id}", needs_read, Read{about}},
    Route{post, "/v1/notes", needs_submit, write<AddNote>()},
    Route{post, "/v1/tags", needs_submit, write<ChangeTags>()},
    Route{post, "/v1/imports", needs_submit,
          Write{.parse = parse_import,
                .render = render_answer<Import>,
                .body_bytes_max = limits::import_bytes_max,
                .one_at_a_time = true}},
    Route{get, "/v1/workflows/{workflow}", needs_read, Read{one<find_workflow>}},
    Route{get, "/v1/datasets/{dataset}", needs_read, Read{one<find_dataset>}},
    Route{get, "/v1/lineage/{id}", needs_read,
          Read{lineage, {Query::direction, Query::depth, Query::measurements}, Weight::heavy}},
    Route{get, "/v1/timeline", needs_read,
          Read{timeline, {Query::from, Query::to, Query::sweep, Query::pixels}}},
    Route{get, "/v1/ledger", needs_read, Read{ledger}},
    Route{get, "/v1/events", needs_read, Follow{events, paged | Query::sweep | Query::digest}},
};

// Removes and returns the text up to the next separator.
std::string_view take(std::string_view& rest, char separator) {
  const auto end = rest.find(separator);
  const auto head = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  return head;
}

// Both begin with '/'. An empty segment matches only itself: "/v1/sweeps/" is not "/v1/sweeps".
bool matches(std::string_view pattern, std::string_view path, std::vector<std::string>& ids) {
  if (std::ranges::count(pattern, '/') != std::ranges::count(path, '/')) return false;
  while (!pattern.empty() || !path.empty()) {
    const auto want = take(pattern, '/');
    const auto have = take(path, '/');
    if (!want.starts_with('{')) {
      if (want != have) return false;
      continue;
    }
    auto id = percent_decoded(have);
    if (!id || id->empty()) return false;
    ids.push_back(*std::move(id));
  }
  return true;
}

void add_allowed(std::string& allow, Method method) {
  if (!allow.empty()) allow += ", ";
  allow += word(method);
  if (method == Method::get) allow += ", HEAD";
}

QuerySet accepted_names(const Handler& handler) {
  if (const auto* read = std::get_if<Read>(&handler)) return read->query;
  if (const auto* follow = std::get_if<Follow>(&handler)) return follow->query;
  if (std::holds_alternative<PutLog>(handler)) return {Query::lease, Query::offset, Query::last};
  return {};
}

struct KindOf {
  std::string_view operator()(const Write&) const { return "write"; }
  std::string_view operator()(const Read&) const { return "read"; }
  std::string_view operator()(const Piecewise&) const { return "read"; }
  std::string_view operator()(const Probe&) const { return "read"; }
  std::string_view operator()(const Follow&) const { return "follow"; }
  std::string_view operator()(const PutBlob&) const { return "put_blob"; }
  std::string_view operator()(const GetBlob&) const { return "get_blob"; }
  std::string_view operator()(const PutLog&) const { return "put_log"; }
  std::string_view operator()(const PullPage&) const { return "pull_page"; }
};

Error our_mistake(const std::exception& trouble) {
  return refuse(Code::internal, "the server could not answer: " + std::string(trouble.what()));
}

Result<Response> collect(const Piecewise& read, SQLite::Database& db, const Request& request) {
  const auto pieces = read.open(db, request);
  if (!pieces) return pieces.error();
  Response answer;
  while (!(*pieces)->ended()) {
    auto piece = (*pieces)->next(db);
    if (!piece) return piece.error();
    answer.body += *piece;
  }
  return answer;
}

Result<Response> run_read(const Route& route, SQLite::Database& db, const Request& request) {
  if (const auto* read = std::get_if<Read>(&route.handler)) return read->answer(db, request);
  if (const auto* probe = std::get_if<Probe>(&route.handler)) return probe->answer(request);
  if (const auto* pieces = std::get_if<Piecewise>(&route.handler))
    return collect(*pieces, db, request);
  if (const auto* follow = std::get_if<Follow>(&route.handler)) return follow->page(db, request);
  return refuse(Code::internal, "this route is no read");
}

}  // namespace

std::span<const Route> route_table() { return table; }

Match find_route(Method method, std::string_view path) {
  Match match;
  for (const auto& route : table) {
    std::vector<std::string> ids;
    if (!matches(route.pattern, path, ids)) continue;
    if (route.method == method) return Match{&route, std::move(ids), {}};
    add_allowed(match.allow, route.method);
  }
  return match;
}

Weight weight_of(const Route& route, const Request& request) {
  const auto* read = std::get_if<Read>(&route.handler);
  if (read == nullptr) return Weight::quick;
  return query_value(request, Query::where) != nullptr ? Weight::heavy : read->weight;
}

bool is_write(const Route& route) {
  return std::holds_alternative<Write>(route.handler) ||
         std::holds_alternative<PutBlob>(route.handler) ||
         std::holds_alternative<PutLog>(route.handler) ||
         std::holds_alternative<PullPage>(route.handler);
}

Status check_query(const Route& route, const Request& request) {
  const QuerySet accepted = accepted_names(route.handler);
  std::vector<std::string_view> known;
  for (std::size_t i = 0; i < query_names; ++i)
    if (const auto name = static_cast<Query>(i); accepted.holds(name)) known.push_back(word(name));
  for (const auto& [name, value] : request.query)
    if (std::ranges::find(known, name) == known.end())
      return refuse(Code::invalid,
                    "this path has no query '" + name + "'" + did_you_mean(name, known),
                    "/" + name);
  return Done{};
}

namespace {

std::string digest_of(const Request& request) {
  Sha256 hash;
  hash.add(word(request.method));
  hash.add(" ");
  hash.add(request.path);
  hash.add("\n");
  hash.add(request.body);
  return hash.finish();
}

}  // namespace

Result<ParsedWrite> parse_write(const Write& write, const BlobStore& blobs,
                                const Request& request) {
  try {
    auto command = write.parse(request);
    if (!command) return command.error();
    if (write.check != nullptr)
      if (auto holds = write.check(blobs, *command); !holds) return holds.error();
    const bool repeatable = request_id_of(*command) != nullptr;
    return ParsedWrite{*std::move(command), repeatable ? digest_of(request) : std::string()};
  } catch (const std::exception& trouble) {
    return our_mistake(trouble);
  }
}

Response render_write(const Write& write, const Result<Reply>& reply) {
  try {
    return reply ? write.render(*reply) : problem(reply.error());
  } catch (const std::exception& trouble) {
    return problem(our_mistake(trouble));
  }
}

Response answer_read(const Route& route, SQLite::Database& db, const Request& request) {
  const auto stopped = [] {
    return problem(refuse(Code::timed_out, "the read took longer than it may: narrow it"));
  };
  try {
    auto result = run_read(route, db, request);
    if (is_stopped(request)) return stopped();
    return result ? *std::move(result) : problem(result.error());
  } catch (const std::exception& trouble) {
    return is_stopped(request) ? stopped() : problem(our_mistake(trouble));
  }
}

Result<std::unique_ptr<Pieces>> open_pieces(const Route& route, SQLite::Database& db,
                                            const Request& request) {
  try {
    return std::get<Piecewise>(route.handler).open(db, request);
  } catch (const std::exception& trouble) {
    return our_mistake(trouble);
  }
}

Response answer_probe(const Probe& probe, const Request& request) {
  auto result = probe.answer(request);
  return result ? *std::move(result) : problem(result.error());
}

Json describe_routes() {
  Json rows = Json::array();
  for (const auto& route : table) {
    Json row;
    row["method"] = word(route.method);
    row["path"] = route.pattern;
    row["kind"] = std::visit(KindOf{}, route.handler);
    row["scopes"] = words(route.needs);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace hone::api
