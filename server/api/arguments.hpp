// Reads the arguments of a handler from a request: ids of the path, the page of the query, the
// body. Internal to server/api.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>

#include "base/result.hpp"
#include "db/queries/rows.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/codec/json.hpp"
#include "schemas/codec/wide_integer.hpp"
#include "schemas/types/ids.hpp"
#include "server/api/request.hpp"

namespace hone {
struct EditRequest;
struct EnqueueRequest;
struct SubmitRequest;
struct SweepSpec;
}  // namespace hone

namespace hone::api {

// "sweep ids look like sw_7, not 'x'".
Error no_such_form(std::string_view noun, std::string_view example, const std::string& text,
                   const std::string& at);

// The name and an example of each kind of id, for error messages.
template <class T>
struct Form;
template <>
struct Form<SweepId> {
  static constexpr std::string_view noun = "sweep", example = "sw_7";
};
template <>
struct Form<TrialId> {
  static constexpr std::string_view noun = "trial", example = "tr_42";
};
template <>
struct Form<RunId> {
  static constexpr std::string_view noun = "run", example = "rn_42.0";
};
template <>
struct Form<ModelId> {
  static constexpr std::string_view noun = "model", example = "md_9";
};
template <>
struct Form<DatasetId> {
  static constexpr std::string_view noun = "dataset", example = "ds_3";
};
template <>
struct Form<EvaluationId> {
  static constexpr std::string_view noun = "evaluation", example = "ev_3";
};
template <>
struct Form<WorkflowId> {
  static constexpr std::string_view noun = "workflow", example = "wf_2";
};
template <>
struct Form<WorkerId> {
  static constexpr std::string_view noun = "worker", example = "wk_1";
};

template <class T>
Result<T> id_from(const std::string& text, const std::string& at) {
  const auto id = parse_id<T>(text);
  if (!id) return no_such_form(Form<T>::noun, Form<T>::example, text, at);
  return *id;
}

// The first id of the path. Precondition: the route's pattern has one.
template <class T>
Result<T> path_id(const Request& request) {
  return id_from<T>(request.ids.at(0), "");
}
template <>
Result<LeaseId> path_id(const Request& request);
template <>
Result<TokenId> path_id(const Request& request);
template <>
Result<FleetId> path_id(const Request& request);

// ?limit=&after= within the bounds of limits.hpp.
Result<PageQuery> page_query(const Request& request);
Result<std::int64_t> integer_query(const Request& request, Query name, std::int64_t fallback,
                                   std::int64_t min, std::int64_t max);

// Refuses an empty body and one that is not JSON.
Result<Json> json_body(const Request& request);

// Bodies that state values of parameters.
template <class T>
inline constexpr bool states_values =
    std::is_same_v<T, SweepSpec> || std::is_same_v<T, SubmitRequest> ||
    std::is_same_v<T, EnqueueRequest> || std::is_same_v<T, EditRequest>;

template <class T>
Result<T> body(const Request& request) {
  if constexpr (states_values<T>)
    if (auto wide = wide_integer(request.body)) return *std::move(wide);
  const auto document = json_body(request);
  if (!document) return document.error();
  return decode_request<T>(*document);
}

}  // namespace hone::api
