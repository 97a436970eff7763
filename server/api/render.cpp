#include "server/api/render.hpp"

#include <sstream>

#include "schemas/codec/words.hpp"
#include "server/api/outcome.hpp"
#include "server/api/progress.hpp"
#include "server/sweep/state/run_seed.hpp"

namespace hone::row {

Json stored_json(const std::string& text, None none) {
  if (text.empty() && none != None::text) return none == None::list ? Json::array() : Json(nullptr);
  auto document = parse_json(text);
  return document ? *std::move(document) : Json(text);
}

Json json_of(Scopes scopes) {
  Json list = Json::array();
  for (const auto scope : all_scopes)
    if (scopes.holds(scope)) list.push_back(word(scope));
  return list;
}

}  // namespace hone::row

namespace hone::api {
namespace {

// Appends the fields of an object to those of another.
void append(Json& json, const Json& more) {
  for (const auto& [key, value] : more.items()) json[key] = value;
}

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

Json render(const SweepRow& row) { return row::write(row, {phases_expected(row)}); }

Json render(const RunRow& row) {
  return row::write(
      row, {seed_of(row), row.failure == Failure::none ? row.detail
                                                       : cause_of({row.id, row.reason, row.failure,
                                                                   row.detail, row.log_tail})});
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
  for (const auto& point : row.curve) {
    json["curve"].push_back({{"phase", point.phase},
                             {"step", point.step},
                             {"value", encode(point.value)},
                             {"seconds", static_cast<double>(point.trained.us) / 1e6}});
    for (const Score score : point.further)
      json["curve"].back()["further"].push_back(encode(score));
  }
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

Json render(const EventRow& row) {
  Json json;
  json["seq"] = row.seq;
  json["at"] = rfc3339(row.at);
  json["kind"] = row.kind;
  json["sweep"] = or_null(row.sweep);
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
