// Models, workers and tokens as the queries return them. Part of rows.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "db/queries/described.hpp"
#include "schemas/types/ids.hpp"
#include "schemas/types/instant.hpp"
#include "schemas/types/scopes.hpp"
#include "schemas/types/score.hpp"

namespace hone {

struct ModelRow {
  ModelId id;
  RunId run;
  SweepId sweep;
  std::optional<AttemptId> attempt;  // the one that saved it
  std::string sha256;
  std::int64_t bytes = 0;
  std::int64_t step = 0;
  int phase = 0;
  std::optional<Score> value;
  std::optional<ModelId> parent;
  Instant saved_at;
  std::optional<Instant> dropped_at{};
};

struct WorkerRow {
  WorkerId id;
  std::string host;
  std::int64_t pid = 0, memory = 0;
  int cpus = 1, gpus = 0;
  std::string hone_version;
  Instant joined_at;
  Instant last_seen_at;
  std::int64_t running = 0;
  std::optional<Instant> aside_until;
  std::string aside_why;
  std::optional<TokenId> token{};
  std::string labels{};      // a JSON list
  std::string gpu_memory{};  // likewise
  std::string kept_free{};   // JSON
  bool lost = false;         // leases of it expired, and it has not been seen since
};

struct TokenRow {
  TokenId id;
  std::string name;
  Scopes scopes;
  Instant created_at;
  std::optional<TokenId> created_by;
  std::optional<Instant> expires_at;
  std::optional<Instant> revoked_at;
};

namespace row {

void fields(auto& f, Of<ModelRow> auto& r) {
  f("id", r.id, "m.id")("run", r.run, "m.trial, m.replicate")("sweep", r.sweep, "m.sweep");
  f("attempt", r.attempt, "m.trial, m.replicate, a.number");
  f("sha256", r.sha256, "m.sha256", "", "v1/common.json#/$defs/sha256")("bytes", r.bytes,
                                                                        "m.bytes");
  f("step", r.step, "m.step")("phase", r.phase, "m.phase");
  f("value", r.value, "CASE WHEN p.phase IS NOT NULL THEN coalesce(p.value, 'diverged') END",
    "Of the report of that phase");
  f("parent", r.parent, "m.parent",
    "The checkpoint before it, of its attempt or the one that its attempt continued from");
  f("saved_at", r.saved_at, "m.saved_at");
  f("dropped_at", r.dropped_at, "m.dropped_at",
    "When checkpoints.keep let it go; its blob is deleted then, its place in the lineage stays");
}

void fields(auto& f, Of<WorkerRow> auto& r) {
  f("id", r.id, "w.id")("host", r.host, "w.host")("pid", r.pid, "w.pid");
  f("cpus", r.cpus, "w.cpus")("gpus", r.gpus, "w.gpus");
  f("hone_version", r.hone_version, "w.hone_version")("joined_at", r.joined_at, "w.joined_at");
  f("last_seen_at", r.last_seen_at, "w.last_seen_at",
    "Its newest request for a run or heartbeat; of what a search finds, its newest event");
  f("running", r.running,
    "(SELECT count(*) FROM attempt a WHERE a.worker = w.id AND a.ended_at IS NULL)",
    "Leases it holds");
  f.of_one("state", "#/components/schemas/worker_state", "Not in what a search finds");
  f("aside_until", r.aside_until, "w.aside_until", "While it is quarantined");
  f("aside_why", r.aside_why, "w.aside_why")("token", r.token, "w.token", "With which it joined");
  f("memory", r.memory, "w.memory", "Bytes for its runs; 0 where it is not known");
  f.stored("labels", r.labels, "w.labels", "#/components/schemas/labels",
           "A run with resources.labels needs them", None::text);
  f.stored("gpu_memory", r.gpu_memory, "w.gpu_memory", "v1/common.json#/$defs/bytes_of_gpus",
           "Bytes of each GPU; empty where they are not known", None::text);
  f.stored("kept_free", r.kept_free, "w.kept_free", "#/components/schemas/kept_free",
           "Why a slot stays free although a sweep has a run for it; null where none does");
  f.of_one("use", "#/components/schemas/worker_use");
  // Its newest leases: those of a lost worker expire together, and nothing was heard since.
  f.hidden(r.lost,
           "(SELECT coalesce(max(l.end_reason = 'worker_lost' AND l.ended_at > w.last_seen_at), 0)"
           " FROM (SELECT end_reason, ended_at FROM attempt a WHERE a.worker = w.id"
           "  ORDER BY a.lease DESC LIMIT 64) l)");
}

void fields(auto& f, Of<TokenRow> auto& r) {
  f("id", r.id, "id")("name", r.name, "name")("scopes", r.scopes, "scopes");
  f("created_at", r.created_at, "created_at");
  f("created_by", r.created_by, "created_by", "Null where the server made it by itself");
  f("expires_at", r.expires_at, "expires_at")("revoked_at", r.revoked_at, "revoked_at");
}

}  // namespace row
}  // namespace hone
