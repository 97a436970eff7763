// Renders rows as the JSON of the API. Internal to server/api.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "db/queries/rows.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/codec/json.hpp"
#include "server/api/response.hpp"

namespace hone::api {

Json render(const SweepRow& row);  // without its spec
Json render(const TrialRow& row);
Json render(const RunRow& row);
Json render(const ForkRow& row);
Json render(const AttemptRow& row);
Json render(const ArtifactRow& row);
Json render(const CurveRow& row);
Json render(const RunCurveRow& row);
Json render(const MetricRow& row);
Json render(const MetricNameRow& row);
Json render(const BestRow& row);
Json render(const ModelRow& row);
Json render(const EvaluationRow& row);
Json render(const WorkflowRow& row);
Json render(const DatasetRow& row);
Json render(const WorkerRow& row);
Json render(const TokenRow& row);
Json render(const PilotRow& row);
Json render(const EventRow& row);
Json render(const LineageNode& node);
Json render(const LineageEdge& edge);
Json render(const LineageGraph& graph);

// The JSON text of a column. A damaged column is returned as a string.
Json stored_json(const std::string& text);

Json or_null(const std::optional<Instant>& at);
Json or_null(const std::optional<Score>& score);
template <class T>
Json id_or_null(const std::optional<T>& id) {
  return id ? Json(text(*id)) : Json(nullptr);
}

template <class Row>
Json render_items(const std::vector<Row>& rows) {
  Json items = Json::array();
  for (const auto& row : rows) items.push_back(render(row));
  return items;
}

template <class Row>
Response render_page(const Page<Row>& page) {
  Json body;
  body["items"] = render_items(page.items);
  body["next"] = page.next ? Json(*page.next) : Json(nullptr);
  return json_response(body);
}

// A list that is never paged.
template <class Row>
Response render_list(const std::vector<Row>& rows) {
  return render_page(Page<Row>{rows, std::nullopt});
}

// Renders one row, or passes the refusal on.
template <class Row>
Result<Response> render_one(const Result<Row>& row) {
  if (!row) return row.error();
  return json_response(render(*row));
}

template <class Row>
Result<Response> render_pages(const Result<Page<Row>>& page) {
  if (!page) return page.error();
  return render_page(*page);
}

}  // namespace hone::api
