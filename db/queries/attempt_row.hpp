// An attempt as the queries return it. Part of rows.hpp.
#pragma once

#include <optional>
#include <string>

#include "db/queries/described.hpp"
#include "schemas/types/ids.hpp"
#include "schemas/types/instant.hpp"
#include "schemas/types/states.hpp"

namespace hone {

struct AttemptRow {
  AttemptId id;
  SweepId sweep;
  WorkerId worker;
  std::string host;
  LeaseId lease;
  Instant granted_at;
  std::optional<Instant> started_at;
  std::optional<Instant> ended_at;
  std::optional<EndReason> end_reason;
  std::string detail;
  std::optional<ModelId> resume;
  Failure failure = Failure::none;
  std::optional<WorkflowId> workflow{};
  std::optional<WorkflowId> at_end{};
  std::string differs{};
  std::string step{};
  bool finished = false;
  std::string turn{};  // JSON, as width and neighbours
  std::string width{};
  std::string neighbours{};
};

namespace row {

void fields(auto& f, Of<AttemptRow> auto& r) {
  f("id", r.id, "a.trial, a.replicate, a.number").hidden(r.sweep, "a.sweep");
  f("worker", r.worker, "a.worker")("host", r.host, "w.host", "Of that worker");
  f("lease", r.lease, "a.lease")("granted_at", r.granted_at, "a.granted_at");
  f("started_at", r.started_at, "a.started_at", "The first sign of life");
  f("ended_at", r.ended_at, "a.ended_at")("end_reason", r.end_reason, "a.end_reason");
  f("failure", r.failure, "a.failure")("detail", r.detail, "a.detail");
  f("resume", r.resume, "a.resume", "The checkpoint it continued from");
  f("workflow", r.workflow, "a.workflow",
    "The code that it executed, where its worker recorded it");
  f("workflow_at_end", r.at_end, "a.workflow_at_end",
    "The code that was found at its end, where it changed meanwhile");
  f("code_differs_in", r.differs, "coalesce(x.differs, '')",
    "From the submission; words of \"commit patch environment hone during\", the last where it"
    " changed while the attempt ran");
  f.filled("step", r.step, "a.step_name", "Of its run's pipeline, where there is one",
           "v1/common.json#/$defs/step_name");
  f("finished", r.finished, "a.finished", "It finished its step; false without a pipeline");
  f.stored("turn", r.turn, "a.turn", "#/components/schemas/turn",
           "Why its sweep came before others; null where none waited");
  f.stored("width", r.width, "a.width", "#/components/schemas/width",
           "Where resources.cpus is a range, how many slots the attempt got and why no more");
  f.stored("neighbours", r.neighbours, "a.neighbours", "#/components/schemas/neighbours",
           "What the attempt had next to it on its worker, where such a pair was measured");
}

}  // namespace row
}  // namespace hone
