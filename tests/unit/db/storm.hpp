// A long random history: what a crowd of workers, users and crashes asks of the coordinator, from
// one seed. It only makes commands; who performs them (decide and append, or Engine::step) is the
// test's choice.
#pragma once

#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "server/sweep/command.hpp"

namespace hone {

class Storm {
 public:
  using Perform = std::function<Result<Reply>(const Command&, Instant now)>;

  Storm(std::uint64_t seed, Perform perform) : dice_(seed), perform_(std::move(perform)) {}

  // Sends `commands` of them. Refusals are part of the weather.
  void blow(int commands);

  [[nodiscard]] Instant now() const { return now_; }

 private:
  struct Held {
    LeaseGrant grant;
    int next_phase = 0;
  };

  int below(int bound) { return std::uniform_int_distribution<int>(0, bound - 1)(dice_); }
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

  std::mt19937_64 dice_;
  Perform perform_;
  Instant now_{1'700'000'000'000'000};
  int requests_ = 0;
  std::vector<SweepId> sweeps_;
  std::vector<WorkerId> workers_;
  std::map<LeaseId, Held> leases_;  // as the workers believe; some are over
};

}  // namespace hone
