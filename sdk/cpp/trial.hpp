// The connection of a trial process to its worker: one JSON object a line over the Unix socket
// HONE_SOCKET.
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
#include <vector>

#include "base/result.hpp"
#include "schemas/codec/json.hpp"
#include "schemas/types/score.hpp"

namespace hone {

struct TrialVerdict {
  enum class Action { go_on, pause, stop };
  Action action = Action::go_on;
  std::string reason;  // "good_enough", "evicted", "last_phase", ...
};

// Thread-safe; each call waits for its own reply. Returns Code::unavailable if the worker is gone:
// end the process, and another attempt continues from the last checkpoint.
class Trial {
 public:
  static Result<std::unique_ptr<Trial>> connect(const std::filesystem::path& socket);
  ~Trial();
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  // Sends a checkpoint at the end of `phase`, or at a step within it, and waits until the worker
  // has stored it; the file may be deleted then. Returns the SHA-256 of its content.
  Result<std::string> checkpoint(const std::filesystem::path& file, std::int64_t step, int phase);
  // Reports the objective at the end of a phase, after its checkpoint, and waits for the verdict.
  // seed_applied: whether the process trains with the seed of its run; nullopt if unknown.
  // further: the values of the sweep's further objectives, in their order.
  Result<TrialVerdict> report(int phase, std::int64_t step, Score value,
                              std::optional<bool> seed_applied = std::nullopt,
                              const std::vector<Score>& further = {});
  // Sends telemetry without waiting for a reply. Skips values that are not finite.
  Status metric(std::string_view name, std::int64_t step, double value);

  // The last error of the worker about a metric; "" without errors.
  std::string metric_fault() const;

  // Thread-safe. The waiting call and every later one wait at most for `patience`, then return
  // Code::timed_out. For processes that have to end.
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
