// The conversation of a trial process with its worker: one JSON object a line over the Unix socket
// of HONE_SOCKET.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "schemas/codec/json.hpp"
#include "schemas/types/score.hpp"

namespace hone {

struct TrialVerdict {
  enum class Action { go_on, pause, stop };
  Action action = Action::go_on;
  std::string reason;  // "good_enough", "evicted", "last_phase", ...
};

// Calls may come from several threads; each waits for its own answer. A worker that is gone is
// Code::unavailable: end the process, another attempt will continue from the last checkpoint.
class Trial {
 public:
  static Result<std::unique_ptr<Trial>> connect(const std::filesystem::path& socket);
  ~Trial();
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  // Sends a checkpoint of the end of `phase` (or of a step within it) and waits until the worker
  // has stored it: the file may be deleted then. Answers the SHA-256 of its content.
  Result<std::string> checkpoint(const std::filesystem::path& file, std::int64_t step, int phase);
  // Reports the objective at the end of a phase, after its checkpoint, and waits for the verdict.
  // seed_applied: whether the process trains with the seed of its run; nullopt says nothing.
  Result<TrialVerdict> report(int phase, std::int64_t step, Score value,
                              std::optional<bool> seed_applied = std::nullopt);
  // Telemetry; nobody answers. Values that are not finite are left out.
  Status metric(std::string_view name, std::int64_t step, double value);

  // What the worker refused of the metrics so far: "" or its last sentence.
  std::string metric_fault() const;

  // Thread-safe: a call that waits, and every later one, waits for `patience` at most (then
  // Code::timed_out). For the end of a process that was asked to end.
  void hurry(std::chrono::milliseconds patience);

 private:
  Trial(int socket, int wake) : socket_(socket), wake_(wake) {}
  Status send(const Json& message);
  Result<Json> ask(const Json& message);
  Result<std::string> read_line();
  Status wait_for_input();

  int socket_;
  int wake_;  // eventfd, readable once hurry() was called
  std::mutex mutex_;
  std::string received_;
  std::atomic<std::int64_t> deadline_ns_{0};  // of the steady clock; 0: none
  mutable std::mutex fault_mutex_;
  std::string metric_fault_;
};

}  // namespace hone
