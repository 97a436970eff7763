// The table of routes. A new endpoint needs one row in router.cpp and one function, or a pair of
// parse and render, in the file of its resource.
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "schemas/codec/json.hpp"
#include "schemas/types/scopes.hpp"
#include "server/api/blobs.hpp"
#include "server/api/pieces.hpp"
#include "server/api/request.hpp"
#include "server/api/response.hpp"
#include "server/limits.hpp"
#include "server/sweep/state/command.hpp"

namespace hone::api {

// A route that changes state: parses a command for the engine and renders its reply.
struct Write {
  Result<Command> (*parse)(const Request&) = nullptr;
  Response (*render)(const Reply&) = nullptr;
  // Checks a precondition outside the ledger, such as the presence of a blob.
  Status (*check)(const BlobStore&, const Command&) = nullptr;
  // The command that undoes this one if its client disconnects before the reply.
  std::optional<Command> (*take_back)(const Reply&) = nullptr;
  std::size_t body_bytes_max = limits::body_bytes_max;
  // Takes so much memory and time that a token or address may have one in progress.
  bool one_at_a_time = false;
};

// How long a read may take: a page, or a whole sweep or ledger. Heavy reads have a reader thread
// for themselves and are bounded for each client.
enum class Weight { quick, heavy };

// A read, answered from a read-only connection on a reader thread.
struct Read {
  Result<Response> (*answer)(SQLite::Database&, const Request&);
  QuerySet query{};  // the names that it accepts
  Weight weight = Weight::quick;
  std::size_t body_bytes_max = limits::read_body_bytes_max;  // beyond it, a body is a mistake
};

// A read whose answer is made in pieces.
struct Piecewise {
  Result<std::unique_ptr<Pieces>> (*open)(SQLite::Database&, const Request&);
};

// A read of what the server has in memory, answered at once, whatever the readers do.
struct Probe {
  Result<Response> (*answer)(const Request&);
};

// As Read, but a client that accepts text/event-stream gets a stream of events until it leaves.
struct Follow {
  Result<Response> (*page)(SQLite::Database&, const Request&);
  QuerySet query{};
};

// Raw bytes, by digest. server/http moves them between socket and BlobStore in pieces.
struct PutBlob {};
struct GetBlob {};

// Raw bytes of a log, which server/http checks by the engine and a reader and gives to LogStore.
struct PutLog {};

// A page of the ledger for a standby, and its confirmation of the page before.
struct PullPage {};

using Handler =
    std::variant<Write, Read, Piecewise, Probe, Follow, PutBlob, GetBlob, PutLog, PullPage>;

struct Route {
  Method method = Method::get;
  std::string_view pattern;  // "/v1/sweeps/{sweep}/steer": braces match any one segment
  Scopes needs;              // a token must have one of these; empty: open to all
  Handler handler;
};

std::span<const Route> route_table();

// route: the row, or nullptr. ids: the segments that the braces matched, decoded. allow: if only
// the method was wrong, the methods of the path ("GET, HEAD"); else empty.
struct Match {
  const Route* route = nullptr;
  std::vector<std::string> ids;
  std::string allow;
};
Match find_route(Method method, std::string_view path);

// The weight of a request: a filter may read every row.
Weight weight_of(const Route& route, const Request& request);

// Whether a request of the route may change what the server keeps: a follower answers the others.
bool is_write(const Route& route);

// Refuses a query name that the route does not accept.
Status check_query(const Route& route, const Request& request);

// Begins the answer of a Piecewise. Its pieces may throw.
Result<std::unique_ptr<Pieces>> open_pieces(const Route& route, SQLite::Database& db,
                                            const Request& request);

// These three turn an exception, which is a bug of ours, into an answer of 500.
// A command, and the digest of its request where a repetition is compared with the first request.
struct ParsedWrite {
  Command command;
  std::string digest;
};
Result<ParsedWrite> parse_write(const Write& write, const BlobStore& blobs, const Request& request);
Response render_write(const Write& write, const Result<Reply>& reply);
// Answers a Read, a Probe, one page of a Follow, or all pieces of a Piecewise.
Response answer_read(const Route& route, SQLite::Database& db, const Request& request);
Response answer_probe(const Probe& probe, const Request& request);

// Describes the table for `--routes`: [{"method", "path", "kind", "scopes"}].
Json describe_routes();

}  // namespace hone::api
