#include "server/api/render.hpp"

#include <sstream>

#include "schemas/codec/words.hpp"
#include "server/api/outcome.hpp"
#include "server/api/progress.hpp"
#include "server/sweep/run_seed.hpp"

namespace hone::api {
namespace {

Json render(const RunCounts& runs) {
  Json json;
  json["queued"] = runs.queued;
  json["leased"] = runs.leased;
  json["running"] = runs.running;
  json["paused"] = runs.paused;
  json["completed"] = runs.completed;
  json["stopped"] = runs.stopped;
  json["failed"] = runs.failed;
  json["canceled"] = runs.canceled;
  return json;
}

Json render(const BestOfSweep& best) {
  Json json;
  json["trial"] = text(best.trial);
  json["run"] = text(best.run);
  json["value"] = encode(best.value);
  json["seeds"] = best.seeds;
  json["confirmed"] = or_null(best.confirmed);
  json["confirmed_seeds"] = best.confirmed_seeds;
  json["best_report"] = encode(best.report);
  json["phase"] = best.phase;
  json["step"] = best.step;
  return json;
}

Json scope_list(Scopes scopes) {
  Json list = Json::array();
  for (const auto scope : all_scopes)
    if (scopes.holds(scope)) list.push_back(word(scope));
  return list;
}

// Appends the fields of an object to those of another.
void append(Json& json, const Json& more) {
  for (const auto& [key, value] : more.items()) json[key] = value;
}

}  // namespace

Json stored_json(const std::string& text) {
  auto document = parse_json(text);
  return document ? *std::move(document) : Json(text);
}

Json or_null(const std::optional<Instant>& at) { return at ? Json(rfc3339(*at)) : Json(nullptr); }

Json or_null(const std::optional<Score>& score) { return score ? encode(*score) : Json(nullptr); }

Json render(const SweepRow& row) {
  Json json;
  json["id"] = text(row.id);
  json["name"] = row.name;
  json["project"] = row.project;
  json["state"] = word(row.state);
  json["reason"] = word(row.reason);
  json["detail"] = row.detail;
  json["submitted_at"] = rfc3339(row.submitted_at);
  json["ended_at"] = or_null(row.ended_at);
  json["objective"]["metric"] = row.objective.metric;
  json["objective"]["goal"] = word(row.objective.goal);
  json["trials"]["total"] = row.trials_total;
  json["trials"]["proposed"] = row.trials_proposed;
  json["runs"] = render(row.runs);
  json["phases"]["done"] = row.phases_done;
  json["phases"]["expected"] = phases_expected(row);
  json["phases"]["repeated"] = row.phases_repeated;
  json["best"] = row.best ? render(*row.best) : Json(nullptr);
  json["workflow"] = text(row.workflow);
  json["dataset"] = id_or_null(row.dataset);
  json["confirms"] = id_or_null(row.confirms);
  json["learned"] = row.learned.empty() ? Json::array() : stored_json(row.learned);
  return json;
}

Json render(const TrialRow& row) {
  Json json;
  json["id"] = text(row.id);
  json["number"] = row.number;
  json["sweep"] = text(row.sweep);
  json["params"] = stored_json(row.params);
  json["schedule"] = stored_json(row.schedule);
  json["state"] = word(row.state);
  json["reason"] = word(row.reason);
  json["value"] = or_null(row.value);
  json["seeds"] = row.seeds;
  json["length"] = row.length;
  json["best_report"] = or_null(row.best_report);
  json["confirmed"] = or_null(row.confirmed);
  json["confirmed_seeds"] = row.confirmed_seeds;
  json["phase"] = row.phase;
  json["runs"] = row.runs;
  json["creator"] = row.creator ? Json(*row.creator) : Json(nullptr);
  return json;
}

namespace {

std::uint64_t seed_of(const RunRow& row) {
  return row.confirms ? confirm_seed(row.sweep_seed, row.confirms, row.id.replicate / row.instances)
                      : run_seed(row.sweep_seed, row.trial_number, row.id.replicate);
}

// Derives the seed from its address in the lineage.
std::string seed_at(RunId run, const std::string& address) {
  RunRow row;
  row.id = run;
  std::int64_t sweep_seed = 0;  // its bits
  std::istringstream(address) >> sweep_seed >> row.trial_number >> row.confirms.value >>
      row.instances;
  row.sweep_seed = static_cast<std::uint64_t>(sweep_seed);
  return std::to_string(seed_of(row));
}

}  // namespace

Json render(const RunRow& row) {
  Json json;
  json["id"] = text(row.id);
  json["trial"] = text(row.id.trial);
  json["sweep"] = text(row.sweep);
  json["seed"] = seed_of(row);
  json["seed_applied"] = row.seed_applied ? Json(*row.seed_applied) : Json(nullptr);
  json["state"] = word(row.state);
  json["reason"] = word(row.reason);
  json["detail"] = row.detail;
  json["failure"] = word(row.failure);
  json["rests_until"] = or_null(row.rests_until);
  json["exit_code"] = row.exit_code ? Json(*row.exit_code) : Json(nullptr);
  json["log_tail"] = row.log_tail;
  json["cause"] = row.failure == Failure::none
                      ? row.detail
                      : cause_of({row.id, row.reason, row.failure, row.detail, row.log_tail});
  json["attempts"] = row.attempts;
  json["worker"] = id_or_null(row.worker);
  json["phase"] = row.reports;
  json["value"] = or_null(row.value);
  json["best"] = or_null(row.best);
  json["step"] = row.step;
  json["started_at"] = or_null(row.started_at);
  json["ended_at"] = or_null(row.ended_at);
  json["origin"] = row.origin ? render(*row.origin) : Json(nullptr);
  json["successor"] = row.successor ? Json(text(row.successor->run)) : Json(nullptr);
  return json;
}

Json render(const ForkRow& row) {
  Json json;
  json["run"] = text(row.run);
  json["model"] = text(row.model);
  json["phase"] = row.phase;
  json["step"] = row.step;
  json["replaces"] = id_or_null(row.replaces);
  json["place"] = row.rank ? Json(row.rank->place) : Json(nullptr);
  json["rivals"] = row.rank ? Json(row.rank->rivals) : Json(nullptr);
  return json;
}

Json render(const AttemptRow& row) {
  Json json;
  json["id"] = text(row.id);
  json["worker"] = text(row.worker);
  json["host"] = row.host;
  json["lease"] = text(row.lease);
  json["granted_at"] = rfc3339(row.granted_at);
  json["started_at"] = or_null(row.started_at);
  json["ended_at"] = or_null(row.ended_at);
  json["end_reason"] = row.end_reason ? Json(word(*row.end_reason)) : Json(nullptr);
  json["failure"] = word(row.failure);
  json["detail"] = row.detail;
  json["resume"] = id_or_null(row.resume);
  json["workflow"] = id_or_null(row.workflow);
  json["code_differs_in"] = row.differs;
  json["step"] = row.step.empty() ? Json(nullptr) : Json(row.step);
  json["finished"] = row.finished;
  json["turn"] = row.turn.empty() ? Json(nullptr) : stored_json(row.turn);
  json["width"] = row.width.empty() ? Json(nullptr) : stored_json(row.width);
  json["neighbours"] = row.neighbours.empty() ? Json(nullptr) : stored_json(row.neighbours);
  return json;
}

Json render(const ArtifactRow& row) {
  Json json;
  json["name"] = row.name;
  json["sha256"] = row.sha256;
  json["bytes"] = row.bytes;
  json["saved_at"] = rfc3339(row.saved_at);
  return json;
}

Json render(const CurveRow& row) {
  Json json;
  json["phase"] = row.phase;
  json["step"] = row.step;
  json["value"] = encode(row.value);
  json["at"] = rfc3339(row.at);
  json["verdict"] = nullptr;
  json["reason"] = nullptr;
  json["inputs"] = Json::object();
  if (row.verdict) append(json, encode(*row.verdict));
  for (const Score score : row.further) json["further"].push_back(encode(score));
  if (row.spent) json["spent"] = *row.spent;
  return json;
}

Json render(const RunCurveRow& row) {
  Json json;
  json["run"] = text(row.id);
  json["trial"] = text(row.id.trial);
  json["number"] = row.trial_number;
  json["params"] = stored_json(row.params);
  json["state"] = word(row.state);
  json["reason"] = word(row.reason);
  json["curve"] = Json::array();
  for (const auto& point : row.curve)
    json["curve"].push_back({{"phase", point.phase},
                             {"step", point.step},
                             {"value", encode(point.value)},
                             {"seconds", static_cast<double>(point.trained.us) / 1e6}});
  return json;
}

Json render(const MetricRow& row) {
  Json json;
  json["name"] = row.name;
  json["step"] = row.step;
  json["value"] = row.value;
  json["at"] = rfc3339(row.at);
  return json;
}

Json render(const MetricNameRow& row) {
  Json json;
  json["name"] = row.name;
  json["points"] = row.points;
  json["step"] = row.step;
  return json;
}

Json render(const BestRow& row) {
  auto json = render(row.trial);
  json["rank"] = row.rank;
  json["run"] = text(row.run);
  json["best_phase"] = row.phase;
  json["step"] = row.step;
  json["model"] = id_or_null(row.model);
  json["comparable"] = row.comparable;
  return json;
}

Json render(const ModelRow& row) {
  Json json;
  json["id"] = text(row.id);
  json["run"] = text(row.run);
  json["sweep"] = text(row.sweep);
  json["attempt"] = id_or_null(row.attempt);
  json["sha256"] = row.sha256;
  json["bytes"] = row.bytes;
  json["step"] = row.step;
  json["phase"] = row.phase;
  json["value"] = or_null(row.value);
  json["parent"] = id_or_null(row.parent);
  json["saved_at"] = rfc3339(row.saved_at);
  json["dropped_at"] = or_null(row.dropped_at);
  return json;
}

Json render(const EvaluationRow& row) {
  Json json;
  json["id"] = text(row.id);
  json["model"] = text(row.model);
  json["run"] = text(row.run);
  json["sweep"] = text(row.sweep);
  json["mean"] = row.mean;
  json["deviation"] = row.deviation;
  append(json, encode(row.info));
  json["recorded_at"] = rfc3339(row.recorded_at);
  return json;
}

Json render(const WorkflowRow& row) {
  Json json;
  json["id"] = text(row.id);
  append(json, encode(row.info));
  json["recorded_at"] = rfc3339(row.recorded_at);
  return json;
}

Json render(const DatasetRow& row) {
  Json json;
  json["id"] = text(row.id);
  append(json, encode(row.info));
  json["recorded_at"] = rfc3339(row.recorded_at);
  return json;
}

Json render(const WorkerRow& row) {
  Json json;
  json["id"] = text(row.id);
  json["host"] = row.host;
  json["pid"] = row.pid;
  json["cpus"] = row.cpus;
  json["gpus"] = row.gpus;
  json["hone_version"] = row.hone_version;
  json["joined_at"] = rfc3339(row.joined_at);
  json["last_seen_at"] = rfc3339(row.last_seen_at);
  json["running"] = row.running;
  json["aside_until"] = or_null(row.aside_until);
  json["aside_why"] = row.aside_why;
  json["token"] = id_or_null(row.token);
  json["memory"] = row.memory;
  json["labels"] = stored_json(row.labels);
  json["gpu_memory"] = stored_json(row.gpu_memory);
  json["kept_free"] = row.kept_free.empty() ? Json(nullptr) : stored_json(row.kept_free);
  return json;
}

Json render(const TokenRow& row) {
  Json json;
  json["id"] = text(row.id);
  json["name"] = row.name;
  json["scopes"] = scope_list(row.scopes);
  json["created_at"] = rfc3339(row.created_at);
  json["created_by"] = id_or_null(row.created_by);
  json["expires_at"] = or_null(row.expires_at);
  json["revoked_at"] = or_null(row.revoked_at);
  return json;
}

Json render(const EventRow& row) {
  Json json;
  json["seq"] = row.seq;
  json["at"] = rfc3339(row.at);
  json["kind"] = row.kind;
  json["sweep"] = id_or_null(row.sweep);
  append(json, stored_json(row.body));
  if (row.kind == "token_created") json.erase("sha256");  // only authentication may see it
  return json;
}

Json render(const LineageNode& node) {
  Json json;
  json["id"] = text(node.id);
  json["kind"] = node.kind;
  json["label"] = node.label;
  json["facts"] = Json::object();
  const auto* run = std::get_if<RunId>(&node.id);
  for (const auto& [name, value] : node.facts)
    json["facts"][name] = run != nullptr && name == "seed" ? seed_at(*run, value) : value;
  return json;
}

Json render(const LineageEdge& edge) {
  Json json;
  json["from"] = text(edge.from);
  json["to"] = text(edge.to);
  json["relation"] = edge.relation;
  return json;
}

Json render(const LineageGraph& graph) {
  Json json;
  json["root"] = text(graph.root);
  json["nodes"] = render_items(graph.nodes);
  json["edges"] = render_items(graph.edges);
  json["truncated"] = graph.truncated;
  return json;
}

}  // namespace hone::api
