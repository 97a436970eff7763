// One simulated installation from one seed: the real engine, ledger, codec and lease machines under
// a virtual clock. First safety under faults, then the faults stop and every sweep must end.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/sim/server_host.hpp"
#include "tests/sim/worker_host.hpp"

namespace hone::sim {

struct Tally {
  int crashes = 0;
  std::int64_t reports = 0;       // recorded
  std::int64_t acknowledged = 0;  // heard by a worker
  std::int64_t attempts = 0;
  std::array<std::int64_t, 3> verdicts{};  // acknowledged, by action
  std::int64_t promoted = 0;               // paused runs that went on
  Duration simulated{};
};

class World {
 public:
  explicit World(std::uint64_t seed);

  // Runs to the end. Broken promises abort the process after describe() was printed by the caller's
  // hook; what can be told in words comes back: empty when all is well.
  std::string run();

  [[nodiscard]] std::string describe() const;
  [[nodiscard]] const Tally& tally() const { return tally_; }

  // The ledger so far, an event a line, as tests/golden keeps it.
  std::string ledger_text();

 private:
  void call(const worker::Call& call, std::function<void(Result<worker::CallReply>)> done);
  void send(const Command& command, std::function<void(Result<Reply>)> done);
  void submit(std::uint64_t number);
  void meddle();  // a user's hand, and faults that come by the second
  bool all_ended() const;
  std::string unfinished() const;
  Duration delay();

  // The promises. Each answers with a sentence when it is broken.
  std::string check_leases() const;
  std::string check_acknowledged() const;
  std::string check_runs() const;
  std::string check_proposals() const;
  std::string check_verdicts() const;
  std::string check_ledger();
  std::string check_retries();

  std::uint64_t seed_;
  Rng rng_;
  FaultPlan faults_;
  Agenda agenda_;
  ServerHost server_;
  std::vector<std::unique_ptr<WorkerHost>> workers_;
  std::vector<SubmitRequest> submissions_;
  // Every verdict a worker heard: (lease, phase) -> verdict.
  std::map<std::pair<LeaseId, int>, Verdict> acknowledged_;
  std::string broken_;
  bool storm_ = true;  // faults and users' hands are still at work
  Tally tally_;
};

}  // namespace hone::sim
