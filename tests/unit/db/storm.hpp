// A long random history: the commands that workers, users and crashes send to the coordinator, from
// one seed. The test chooses how they are performed (decide and append, or Engine::step).
#pragma once

#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "server/sweep/state/command.hpp"

namespace hone {

class Storm {
 public:
  using Perform = std::function<Result<Reply>(const Command&, Instant now)>;

  Storm(std::uint64_t seed, Perform perform) : random_(seed), perform_(std::move(perform)) {}

  // Sends so many commands. Refusals are expected.
  void blow(int commands);

  [[nodiscard]] Instant now() const { return now_; }

 private:
  struct Held {
    LeaseGrant grant;
    int next_phase = 0;
  };

  int below(int bound) { return std::uniform_int_distribution<int>(0, bound - 1)(random_); }
  std::string fresh_request() { return "request-" + std::to_string(++requests_); }
  Result<Reply> ask(const Command& command) { return perform_(command, now_); }

  void one();
  void submit();
  void join();
  void token();
  void remark();
  void acquire();
  void report(LeaseId lease, Held& held);
  void save_model(LeaseId lease, const Held& held);
  void save_file(LeaseId lease);
  void log_metrics(LeaseId lease, const Held& held);
  void beat();
  void end(LeaseId lease);
  void steer();
  void pass_time();
  void with_lease();

  std::mt19937_64 random_;
  Perform perform_;
  Instant now_{1'700'000'000'000'000};
  int requests_ = 0;
  std::vector<SweepId> sweeps_;
  std::vector<WorkerId> workers_;
  std::map<LeaseId, Held> leases_;  // as the workers see them; some are over
};

}  // namespace hone
