#include "server/api/runs/run_log.hpp"

#include <SQLiteCpp/Statement.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/base64.hpp"
#include "db/queries/find.hpp"
#include "db/queries/queries.hpp"
#include "server/api/arguments.hpp"
#include "server/api/routes.hpp"
#include "server/limits.hpp"

namespace hone::api {
namespace {

constexpr std::int64_t offset_max = std::int64_t{1} << 50;

Result<bool> truth_query(const Request& request, Query name) {
  const auto* value = query_value(request, name);
  if (value == nullptr || *value == "false") return false;
  if (*value == "true") return true;
  const std::string key(word(name));
  return refuse(Code::invalid, key + " is true or false", "/" + key);
}

Result<bool> wants_base64(const Request& request) {
  const auto* value = query_value(request, Query::encoding);
  if (value == nullptr || *value == "utf-8") return false;
  if (*value == "base64") return true;
  return refuse(Code::invalid, "encoding is utf-8 or base64", "/encoding");
}

// The bytes without a character whose end is still missing.
std::string_view whole_characters(std::string_view bytes) {
  for (std::size_t back = 1; back <= 3 && back <= bytes.size(); ++back) {
    const auto byte = static_cast<unsigned char>(bytes[bytes.size() - back]);
    if ((byte & 0xC0U) == 0x80U) continue;
    const std::size_t length = byte >= 0xF0U ? 4 : byte >= 0xE0U ? 3 : byte >= 0xC0U ? 2 : 1;
    return length > back ? bytes.substr(0, bytes.size() - back) : bytes;
  }
  return bytes;
}

std::string_view last_lines(std::string_view bytes, std::int64_t lines) {
  auto at = bytes.ends_with('\n') ? bytes.size() - 1 : bytes.size();
  for (; lines > 0 && at > 0; --lines) {
    const auto newline = bytes.rfind('\n', at - 1);
    if (newline == std::string_view::npos) return bytes;
    at = newline;
  }
  return at == bytes.size() ? std::string_view() : bytes.substr(at + 1);
}

struct LogQuery {
  std::optional<std::int64_t> from;
  std::optional<std::int64_t> tail;
  bool base64 = false;
};

Result<LogQuery> log_query(const Request& request) {
  const auto from = integer_query(request, Query::from, -1, 0, offset_max);
  if (!from) return from.error();
  const auto tail = integer_query(request, Query::tail, -1, 0, offset_max);
  if (!tail) return tail.error();
  const auto base64 = wants_base64(request);
  if (!base64) return base64.error();
  LogQuery query{{}, {}, *base64};
  if (*from >= 0) query.from = *from;
  if (*tail >= 0) query.tail = *tail;
  return query;
}

// Whether bytes of the log may still come.
bool may_grow(const AttemptRow& attempt, const std::optional<LogStore::View>& view, Instant now) {
  if (view && view->complete) return false;
  if (!attempt.ended_at) return true;
  return attempt.end_reason != EndReason::worker_lost &&
         now < *attempt.ended_at + limits::log_late_time;
}

// The log as it is known: what the worker sent, or the last lines in the record of a failure.
std::optional<LogStore::View> view_of(const Request& request, const RunRow& run,
                                      const AttemptRow& attempt) {
  if (request.logs != nullptr) {
    const bool late = attempt.ended_at && *attempt.ended_at + limits::log_late_time < request.now;
    if (!late) (void)request.logs->want(attempt.lease, request.now);
    if (auto view = request.logs->read(attempt.lease)) return view;
  }
  if (!attempt.ended_at || attempt.id.number != run.attempts || run.log_tail.empty()) return {};
  return LogStore::View{{0, run.log_tail}, true};
}

void write_bytes(Json& json, const LogQuery& query, const LogPiece& log, bool growing) {
  const auto end = log.offset + static_cast<std::int64_t>(log.bytes.size());
  const auto from = std::clamp(query.from.value_or(log.offset), log.offset, end);
  std::string_view bytes = log.bytes;
  bytes.remove_prefix(static_cast<std::size_t>(from - log.offset));
  if (!query.from && query.tail) bytes = last_lines(bytes, *query.tail);
  const auto begin = end - static_cast<std::int64_t>(bytes.size());
  if (growing && !query.base64) bytes = whole_characters(bytes);
  json["begins"] = log.offset;
  json["from"] = begin;
  json["next"] = begin + static_cast<std::int64_t>(bytes.size());
  if (query.base64)
    json["base64"] = base64_text(bytes);
  else
    json["text"] = bytes;
}

}  // namespace

// GET /v1/runs/{run}/log
ReadResult run_log(SQLite::Database& db, const Request& request) {
  const auto id = path_id<RunId>(request);
  if (!id) return id.error();
  const auto query = log_query(request);
  if (!query) return query.error();
  const auto run = find_run(db, *id);
  if (!run) return run.error();
  if (run->attempts == 0)
    return refuse(Code::not_found, text(*id) + " has not started, so that it has no log yet");
  const auto number = integer_query(request, Query::attempt, run->attempts, 1, 1'000'000);
  if (!number) return number.error();
  const auto attempt = find_attempt(db, AttemptId{*id, static_cast<int>(*number)});
  if (!attempt) return attempt.error();
  const auto view = view_of(request, *run, *attempt);
  const bool growing = may_grow(*attempt, view, request.now);
  Json json;
  json["run"] = text(*id);
  json["attempt"] = *number;
  json["attempts"] = run->attempts;
  json["worker"] = text(attempt->worker);
  json["running"] = !attempt->ended_at.has_value();
  json["received"] = view.has_value();
  json["growing"] = growing;
  json["run_ended"] = run->ended_at.has_value();
  write_bytes(json, *query, view ? view->log : LogPiece{}, growing);
  return json_response(json);
}

// POST /v1/workers/{worker}/log
Result<LogUpload> parse_log(const Request& request) {
  const auto worker = path_id<WorkerId>(request);
  if (!worker) return worker.error();
  const auto* name = query_value(request, Query::lease);
  const auto lease = name != nullptr ? parse_lease_id(*name) : std::nullopt;
  if (!lease) return refuse(Code::invalid, "lease must name a lease, as le_5", "/lease");
  const auto offset = integer_query(request, Query::offset, 0, 0, offset_max);
  if (!offset) return offset.error();
  const auto last = truth_query(request, Query::last);
  if (!last) return last.error();
  return LogUpload{*worker, *lease, {*offset, request.body}, *last};
}

Status check_log(SQLite::Database& db, const LogUpload& upload) {
  SQLite::Statement find(db, "SELECT worker FROM attempt WHERE lease = ?1");
  find.bind(1, upload.lease.value);
  if (find.executeStep() && find.getColumn(0).getInt64() == upload.worker.value) return Done{};
  return refuse(Code::stale_lease, text(upload.lease) + " is no lease of " + text(upload.worker));
}

Response render_log_taken(bool wanted) {
  Json json;
  json["wanted"] = wanted;
  return json_response(json);
}

}  // namespace hone::api
