#include "server/api/inside.hpp"

#include <variant>

#include "server/api/router.hpp"

namespace hone::api {

Result<Response> answer_inside(SQLite::Database& db, const Request& outer,
                               const std::string& target, const std::string& after) {
  auto parsed = parse_target(Method::get, target);
  if (!parsed) return parsed.error();
  if (!after.empty()) parsed->query.emplace_back(word(Query::after), after);
  auto match = find_route(Method::get, parsed->path);
  const Read* read = match.route ? std::get_if<Read>(&match.route->handler) : nullptr;
  if (read == nullptr || !match.route->needs.holds(Scope::read))
    return refuse(Code::not_found, "there is no read " + parsed->path);
  if (auto known = check_query(*match.route, *parsed); !known) return known.error();
  if (is_stopped(outer))
    return refuse(Code::timed_out, "the read took longer than it may: narrow it");
  Request request = outer;
  request.path = std::move(parsed->path);
  request.query = std::move(parsed->query);
  request.ids = std::move(match.ids);
  request.body.clear();
  return read->answer(db, request);
}

}  // namespace hone::api
