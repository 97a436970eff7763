// One simulated installation from one seed: the real router, engine, ledger, codec and lease
// machines under a virtual clock, on a disk that fails. First safety under faults, then the faults
// stop and every sweep must end.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
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
  std::int64_t steps = 0;
  std::int64_t reads = 0;  // questions asked of the API meanwhile
  int snapshots = 0;       // boots that went on from one
};

class World;

// What must hold, and when it is looked at. The table is printed by `sim --promises`.
struct Promise {
  std::string_view name;
  std::string_view when;
  std::string (World::*at_end)();  // null: looked at on the way (witness, server, lease checks)
};
std::span<const Promise> promises();

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
  using Done = std::function<void(Result<worker::CallReply>)>;
  struct Partition {
    Instant until;
    bool requests = false, replies = false;  // which of them are lost
  };
  friend std::span<const struct Promise> promises();

  void call(const worker::Call& call, std::size_t worker, const Done& done);
  void store(const worker::StoreBlob& call, const Done& answer);
  void note(const worker::ReportCall& call, const Result<worker::CallReply>& reply);
  void send(const Message& message, std::size_t worker, ServerHost::Answer done);
  [[nodiscard]] bool cut(std::size_t worker, bool request) const;
  void cut_off(std::size_t worker);
  void submit(std::uint64_t number);
  void meddle();  // a user's hand, and faults that come by the second
  bool all_ended() const;
  std::string unfinished() const;
  Duration delay();

  // The promises. Each answers with a sentence when it is broken.
  std::string check_leases() const;  // after every step
  std::string check_acknowledged();
  std::string check_runs();
  std::string check_proposals();
  std::string check_verdicts();
  std::string check_replay();
  std::string check_counts();
  std::string check_projection();
  std::string check_file();
  std::string check_retries();
  std::string check_aggregates();
  std::string check_confirmations();
  std::string check_patience();
  std::string check_best();

  std::uint64_t seed_;
  Rng rng_;
  FaultPlan faults_;
  Agenda agenda_;
  ServerHost server_;
  std::vector<Partition> partitions_;  // by worker
  std::vector<std::unique_ptr<WorkerHost>> workers_;
  std::vector<SubmitRequest> submissions_;
  // Every verdict a worker heard: (lease, phase) -> verdict.
  std::map<std::pair<LeaseId, int>, Verdict> acknowledged_;
  std::string broken_;
  int confirms_ = 0;   // that users asked for
  bool storm_ = true;  // faults and users' hands are still at work
  Tally tally_;
};

}  // namespace hone::sim
