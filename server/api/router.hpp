// The one table of routes. A new endpoint is one row here and one function (or a parse/render pair)
// in its resource's file.
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "schemas/codec/json.hpp"
#include "schemas/types/scopes.hpp"
#include "server/api/blobs.hpp"
#include "server/api/request.hpp"
#include "server/api/response.hpp"
#include "server/limits.hpp"
#include "server/sweep/command.hpp"

namespace hone::api {

// A change: parsed into a command for the engine, whose reply is rendered.
struct Write {
  Result<Command> (*parse)(const Request&);
  Response (*render)(const Reply&);
  // What must hold outside the ledger before the command may be pushed (is the blob there?);
  // usually nothing.
  Status (*check)(const BlobStore&, const Command&) = nullptr;
  // What undoes the command when its client is gone before the reply; usually nothing needs it.
  std::optional<Command> (*take_back)(const Reply&) = nullptr;
  std::size_t body_bytes_max = limits::body_bytes_max;
};

// A question, answered from a read-only connection on a reader thread.
struct Read {
  Result<Response> (*answer)(SQLite::Database&, const Request&);
  std::string_view query;  // the names it knows, separated by blanks
};

// As Read; but a client that accepts text/event-stream gets the events one by one, for as long as
// it stays.
struct Follow {
  Result<Response> (*page)(SQLite::Database&, const Request&);
  std::string_view query;
};

// Raw bytes, by digest; the skin moves them between socket and BlobStore in pieces.
struct PutBlob {};
struct GetBlob {};

using Handler = std::variant<Write, Read, Follow, PutBlob, GetBlob>;

struct Route {
  Method method = Method::get;
  std::string_view
      pattern;   // "/v1/sweeps/{sweep}/steer": a segment in braces matches any one segment
  Scopes needs;  // a token of one of these opens it; none: open to all
  Handler handler;
};

std::span<const Route> route_table();

// route: the row, or nullptr. ids: what its braces matched, decoded. allow: where only the method
// was wrong, the methods that this path answers to ("GET, HEAD"); empty when there is no such path.
struct Match {
  const Route* route = nullptr;
  std::vector<std::string> ids;
  std::string allow;
};
Match find_route(Method method, std::string_view path);

// Refuses a query name that the route does not know.
Status check_query(const Route& route, const Request& request);

// These three contain every exception: a bug of ours is an answer of 500, not the end.
Result<Command> parse_write(const Write& write, const BlobStore& blobs, const Request& request);
Response render_write(const Write& write, const Result<Reply>& reply);
// Answers a Read, or one page of a Follow.
Response answer_read(const Route& route, SQLite::Database& db, const Request& request);

// The table for people and tests: [{"method", "path", "kind", "scopes"}].
Json describe_routes();

}  // namespace hone::api
