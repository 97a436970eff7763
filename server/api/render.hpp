// Renders rows as the JSON of the API. Internal to server/api.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "db/queries/rows.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/codec/json.hpp"
#include "server/api/response.hpp"
#include "server/api/row_json.hpp"

namespace hone::api {

template <row::Described Row>
Json render(const Row& row) {
  return row::write(row);
}
Json render(const SweepRow& row);  // without its spec
Json render(const RunRow& row);
Json render(const CurveRow& row);
Json render(const RunCurveRow& row);
Json render(const EvaluationRow& row);
Json render(const WorkflowRow& row);
Json render(const DatasetRow& row);
Json render(const EventRow& row);
Json render(const LineageNode& node);
Json render(const LineageEdge& edge);
Json render(const LineageGraph& graph);

using row::stored_json;

template <class T>
Json or_null(const std::optional<T>& value) {
  return row::json_of(value);
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
