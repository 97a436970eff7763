// What a trial process reports, on its way to the server: reports and checkpoints one at a time and
// in their order, metric points in batches before them. Sans-io; driven by Attempt.
#pragma once

#include <deque>
#include <optional>
#include <variant>

#include "worker/agent/attempt_phases.hpp"
#include "worker/agent/messages.hpp"
#include "worker/agent/pending_call.hpp"

namespace hone::worker {

// What an attempt sends besides reports and checkpoints.
struct Capabilities {
  bool code = false;           // RecordCode before its process starts
  bool resumable = false;      // whether a report's run has a checkpoint: servers since the epochs
  bool phase_seconds = false;  // that a report's phase took: servers that take them
  std::optional<Instant> last{};  // no phase may end later: the worker ends its processes then
};

class Delivery {
 public:
  Delivery(const LeaseGrant& grant, const Capabilities& capabilities);

  // Adds a line. Stops reading from the process (Hold) while too many wait. `trained`: how long the
  // phase that a report ends took, where that is known.
  void add(Turn& turn, const LineReceived& input, std::optional<Duration> trained);

  // The call to make next; nullopt if none is due. `flush`: metric points do not wait for more.
  [[nodiscard]] std::optional<LeaseCall> next(Instant now, bool flush);
  // True once after the server has acknowledged everything that was added.
  [[nodiscard]] bool take_delivered();

  // The oldest report or checkpoint. Precondition of these: lines_wait().
  [[nodiscard]] Origin origin() const { return lines_.front().origin; }
  void stored(const StoredBlob& blob);  // the checkpoint's bytes are on the server
  // The server has not got the bytes after all: they are sent again. False after several times.
  bool lost();
  void pop(Turn& turn);  // it is answered; reads on once enough are

  void reported(int phase, std::int64_t step) { phases_.reported(phase, step); }
  void pass_over(std::int64_t step) { phases_.pass_over(step); }
  void saved() { resumable_ = true; }  // a checkpoint is on the server
  // The metric points that were dropped since the last call.
  [[nodiscard]] std::int64_t take_dropped() { return std::exchange(dropped_, 0); }

  [[nodiscard]] bool lines_wait() const { return !lines_.empty(); }
  [[nodiscard]] int next_phase() const { return phases_.next(); }
  [[nodiscard]] std::optional<Instant> flush_at() const;

 private:
  struct StoredCheckpoint {
    CheckpointLine line;
    StoredBlob blob;
  };
  struct Report {
    ReportLine line;
    std::optional<Duration> trained;
  };
  struct Line {
    Origin origin;
    std::variant<Report, CheckpointLine, StoredCheckpoint> content;
  };

  void add_line(Turn& turn, Line line);
  void add_point(Instant now, const MetricPoint& point);
  [[nodiscard]] LeaseCall next_batch(Instant now);
  [[nodiscard]] LeaseCall call_for(const Report& report);
  [[nodiscard]] LeaseCall call_for(const CheckpointLine& line) const;
  [[nodiscard]] LeaseCall call_for(const StoredCheckpoint& checkpoint);

  LeaseId lease_;
  AttemptPhases phases_;
  bool resumable_;  // the run has a checkpoint, or reports do not tell
  bool tells_seconds_;
  std::deque<Line> lines_;
  std::deque<MetricPoint> points_;
  Instant flush_at_;  // of points_, if there are any
  std::int64_t dropped_ = 0;
  int losses_ = 0;            // of the bytes of the oldest checkpoint
  bool undelivered_ = false;  // a line was added since the last take_delivered()
  bool held_ = false;         // the process is not read from
};

}  // namespace hone::worker
