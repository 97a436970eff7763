#include "db/queries/queries.hpp"
#include "server/api/arguments.hpp"
#include "server/api/render.hpp"
#include "server/api/routes.hpp"
#include "server/limits.hpp"

namespace hone::api {
namespace {

Result<Direction> direction_of(const Request& request) {
  const auto* text = query_value(request, Query::direction);
  if (text == nullptr || *text == "both") return Direction::both;
  if (*text == "up") return Direction::up;
  if (*text == "down") return Direction::down;
  return refuse(Code::invalid, "direction must be up (what it came from), down or both",
                "/direction");
}

}  // namespace

// GET /v1/lineage/{id}
ReadResult lineage(SQLite::Database& db, const Request& request) {
  constexpr std::int64_t depth_max = 10'000;
  const auto root = parse_lineage_key(request.ids.at(0));
  if (!root)
    return no_such_form("lineage",
                        "sw_7, tr_42, rn_42.0, rn_42.0#2, md_9, ds_3, wf_2, wk_1, ev_3, "
                        "rn_42.0@3 (a report) or rn_42.0/loss@2000 (a metric)",
                        request.ids.at(0), "");
  const auto direction = direction_of(request);
  if (!direction) return direction.error();
  LineageQuery query;
  const auto depth = integer_query(request, Query::depth, query.depth, 0, depth_max);
  if (!depth) return depth.error();
  query.direction = *direction;
  query.depth = static_cast<int>(*depth);
  query.nodes_max = limits::lineage_nodes_max;
  query.measurements = query_value(request, Query::measurements) != nullptr;
  return render_one(read_lineage(db, *root, query));
}

}  // namespace hone::api
