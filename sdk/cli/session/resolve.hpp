// Resolves the ids that users type. Any id that leads to the right kind will do: `hone best rn_4.0`
// shows the best trials of that run's sweep, and so does the name of a sweep that no other has.
#pragma once

#include <string>

#include "schemas/types/ids.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/session/session.hpp"

namespace hone::cli {

// Joins lambdas for std::visit.
template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

Result<ObjectId> parse_object(const std::string& word);

// "" is the newest sweep.
Result<SweepId> resolve_sweep(Session& session, const std::string& word);
// Where to look for results that a sweep does not have yet, or will not have: "follow it with: hone
// watch sw_7", or "see why with: hone show sw_7" once it has ended.
std::string next_look(Session& session, SweepId sweep);
Result<TrialId> resolve_trial(const std::string& word);
// A trial with a single run resolves to that run.
Result<RunId> resolve_run(Session& session, const std::string& word);

// The row of a model. Refuses the id of another object, and a model whose bytes were dropped.
Result<Json> kept_model(Session& session, const ObjectId& id);

// The id of a row that a server sent. Refuses (internal) any other text: an id becomes a part of
// paths, and each row may cost a request.
template <class Id>
Result<Id> id_of_row(const Json& row, const std::string& pointer = "/id") {
  if (const auto id = parse_id<Id>(text_at(row, pointer))) return *id;
  return refuse(Code::internal, "the server's list has a row without an id");
}

// "sweep", "trial", ...
std::string_view kind_of(const ObjectId& id);

// The id as part of a URL's path: the '#' of an attempt is escaped.
std::string in_path(const ObjectId& id);

}  // namespace hone::cli
