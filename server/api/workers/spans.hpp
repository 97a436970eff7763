// Attempts as intervals of the slots that they held. hone counts slots and does not number them: a
// lane is a slot as a reader may think of it, and a worker never has more lanes than slots.
#pragma once

#include <SQLiteCpp/Database.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "db/queries/overview.hpp"
#include "db/queries/rows.hpp"
#include "schemas/codec/json.hpp"
#include "schemas/types/spec.hpp"
#include "server/api/request.hpp"

namespace hone::api {

// An attempt of at least a pixel.
struct SpanRow {
  WorkerId worker;
  AttemptId attempt;
  SweepId sweep;
  Instant from;
  std::optional<Instant> to;
  std::optional<EndReason> reason;
  int cpus = 1;
};

void fields(auto& f, Of<SpanRow> auto& r) {
  f.also("worker", r.worker).also("attempt", r.attempt).also("sweep", r.sweep);
  f.also("from", r.from).also("to", r.to, "Null while it is live").also("reason", r.reason);
  f.also("cpus", r.cpus, "The slots that it holds");
  f.computed("lanes", "#/components/schemas/lanes", "Which those are, for a picture");
}

// Attempts of less than a pixel that followed one another in a lane.
struct BusyRow {
  WorkerId worker;
  int lane = 0;
  Instant from, to;
  std::int64_t attempts = 0;
  double seconds = 0;
};

void fields(auto& f, Of<BusyRow> auto& r) {
  f.also("worker", r.worker).also("lane", r.lane).also("from", r.from).also("to", r.to);
  f.also("attempts", r.attempts, "Short ones that followed one another in this lane");
  f.also("seconds", r.seconds, "That they took together");
  f.computed("sweeps", "#/components/schemas/sweep_seconds", "Whose they were, the largest first");
}

// What a worker offered and what was held of it, in slot-seconds of an interval.
struct SlotTimeRow {
  double offered = 0;
  double held = 0;
  std::optional<double> idle{};  // nothing was offered: absent
};

void fields(auto& f, Of<SlotTimeRow> auto& r) {
  f.also("offered", r.offered, "Slots times the seconds in which the worker was connected");
  f.also("held", r.held, "Of them by attempts, which may run longer than a lost worker was seen");
  f.also("idle", r.idle, "The share that no attempt held; null where nothing was offered");
}

SlotTimeRow slot_time(double offered, double held);

// How many slots attempts hold. Reads the specification of each sweep once.
class SlotCounts {
 public:
  explicit SlotCounts(SQLite::Database& db) : db_(db) {}
  int of(const AttemptSpan& span);

 private:
  SQLite::Database& db_;
  std::map<SweepId, std::optional<SweepSpec>> specs_;
};

// The lanes of one worker.
class Lanes {
 public:
  explicit Lanes(int slots) : free_from_(static_cast<std::size_t>(std::max(0, slots))) {}
  // Takes the lowest lanes that are free from then on; adds lanes where too few are: of askers,
  // which have no slots, and of workers that joined again with fewer.
  std::vector<int> take(Instant from, Instant to, int count);

 private:
  std::vector<Instant> free_from_;
};

// Collects spans, which come by worker and start.
class Spans {
 public:
  // `slots`: those of a worker.
  using SlotsOf = std::map<WorkerId, int>;
  Spans(SQLite::Database& db, const TimelineQuery& query, std::int64_t pixels, Instant now,
        const SlotsOf& slots)
      : counts_(db),
        query_(query),
        pixel_{(query.to - query.from).us / pixels},
        now_(now),
        slots_(slots) {}

  void add(const AttemptSpan& span);
  // Adds items, busy and truncated.
  void render_into(Json& json) const;
  [[nodiscard]] double held_s(WorkerId worker) const;

 private:
  struct Busy {
    BusyRow row;
    std::map<SweepId, double> sweeps;
  };
  void merge(const AttemptSpan& span, int lane);
  [[nodiscard]] static Json render(const Busy& busy);

  SlotCounts counts_;
  TimelineQuery query_;
  Duration pixel_;
  Instant now_;
  const SlotsOf& slots_;
  std::map<WorkerId, Lanes> lanes_;
  Json items_ = Json::array();
  std::vector<Busy> busy_;
  std::map<std::pair<WorkerId, int>, std::size_t> newest_;  // of each lane, into busy_
  std::map<WorkerId, double> held_s_;
  bool truncated_ = false;
};

// A time in seconds since 1970.
Result<Instant> time_query(const Request& request, Query name, Instant fallback);

// Seconds of the interval in which a worker was connected: from when it joined until when it was
// seen last, or to the end where it is.
double connected_s(const TimelineQuery& query, Instant joined, std::optional<Instant> left);

}  // namespace hone::api
