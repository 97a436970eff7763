// Why sweeps get no run on a worker now.
#pragma once

#include <SQLiteCpp/Database.h>

#include <optional>
#include <string>
#include <vector>

#include "db/queries/rows.hpp"
#include "server/api/request.hpp"

namespace hone::api {

// A sweep that could give runs, as one worker sees it.
struct WaitRow {
  SweepId sweep;
  std::string name;
  std::int64_t queued = 0;
  std::optional<RunId> run{};
  std::string why{};
  std::string story{};
};

void fields(auto& f, Of<WaitRow> auto& r) {
  f.also("sweep", r.sweep).also("name", r.name).also("queued", r.queued, "Runs in its queue");
  f.also("run", r.run, "The first of them");
  f.also("why", r.why, "Why no run of the sweep starts on this worker now");
  f.also("story", r.story, "What that run waits for, as `hone explain` says; empty without a run");
}

// What a sweep holds of a worker's slots now.
struct HolderRow {
  SweepId sweep;
  std::int64_t slots = 0;
  std::int64_t runs = 0;
};

void fields(auto& f, Of<HolderRow> auto& r) {
  f.also("sweep", r.sweep).also("slots", r.slots, "Of this worker").also("runs", r.runs);
}

struct Waiting {
  std::vector<HolderRow> held;  // the most slots first
  std::vector<WaitRow> waiting;
  std::int64_t left_out = 0;  // open sweeps beyond limits::waiting_sweeps_max
};
Waiting waiting_for(SQLite::Database& db, const WorkerRow& worker, const Request& request);

// The first sentence of GET /v1/runs/{run}/explain; empty if the sweep's rule cannot be read.
std::string story_of(SQLite::Database& db, const RunRow& run);

}  // namespace hone::api
