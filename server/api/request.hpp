// A request as the API sees it, without sockets. server/http fills it in; tests write it by hand.
#pragma once

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "schemas/types/instant.hpp"
#include "server/sweep/state/caller.hpp"

namespace hone {
struct Counters;
}

namespace hone::api {

class FleetTroubles;
class ForecastErrors;
class LogStore;
class Role;
class WorkerContacts;

// HEAD arrives as get: server/http leaves the body out.
enum class Method { get, post, put, other };

std::string_view word(Method method);  // "GET"

// Every name that a query may have. Routes list the names they accept and handlers ask by
// enumerator, so a misspelled name does not compile.
enum class Query {
  after,
  all,
  attempt,
  by,
  depth,
  digest,
  direction,
  encoding,
  fields,
  from,
  last,
  lease,
  limit,
  measurements,
  name,
  objective,
  offset,
  pixels,
  points,
  run,
  sort,
  sweep,
  tail,
  to,
  trial,
  where,
  within
};
inline constexpr std::size_t query_names = static_cast<std::size_t>(Query::within) + 1;

std::string_view word(Query name);  // "after"

// The names that a route accepts.
class QuerySet {
 public:
  constexpr QuerySet() = default;
  constexpr QuerySet(std::initializer_list<Query> names) {
    for (const Query name : names) bits_ |= bit(name);
  }
  friend constexpr QuerySet operator|(QuerySet set, Query name) {
    set.bits_ |= bit(name);
    return set;
  }
  [[nodiscard]] constexpr bool holds(Query name) const { return (bits_ & bit(name)) != 0; }

 private:
  static constexpr std::uint32_t bit(Query name) { return 1U << static_cast<unsigned>(name); }
  std::uint32_t bits_ = 0;
};

struct Request {
  Method method = Method::get;
  std::string path;                                        // as sent: percent-encoded, no query
  std::vector<std::pair<std::string, std::string>> query;  // decoded, in the order sent
  std::vector<std::string> ids;  // what the pattern's {...} matched, decoded
  std::string accept;            // the header Accept
  std::string last_event_id;     // the header Last-Event-ID
  std::string body;
  const Counters* counters = nullptr;       // of this server, for GET /metrics
  LogStore* logs = nullptr;                 // of this server; null in tests without logs
  const Role* role = nullptr;               // of this server; null in tests without standbys
  const FleetTroubles* troubles = nullptr;  // of this server's fleets; null on a follower
  ForecastErrors* forecasts = nullptr;  // of this server, for GET /metrics; null: nothing is kept
  const WorkerContacts* contacts = nullptr;  // of this server; null on a follower
  std::int64_t newest_seq = 0;               // of the ledger, for GET /healthz
  // Set while a read is in progress: true once no client waits for its answer.
  const std::atomic<bool>* stop = nullptr;
  Caller speaker{};  // the owner of the token that the request carries
  Instant now{};     // when it arrived
};

// Splits a request target ("/v1/sweeps?limit=10", or the absolute form that a proxy sends) into
// path and query. Refuses any other target, a broken percent-encoding, and a query name given
// twice.
Result<Request> parse_target(Method method, std::string_view target);

// "%2F" -> "/". Refuses a broken encoding and one of a zero byte. A '+' remains a plus sign.
Result<std::string> percent_decoded(std::string_view text);

// A read that computes for long looks at this between its steps.
inline bool is_stopped(const Request& request) {
  return request.stop != nullptr && request.stop->load(std::memory_order_relaxed);
}

// The value of a query name, or nullptr.
const std::string* query_value(const Request& request, Query name);

}  // namespace hone::api
