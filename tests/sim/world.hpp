// One simulated installation from one seed: the real router, engine, ledger, codec and lease
// machines under a virtual clock, on a disk that fails. Checks safety under faults; then the faults
// stop, and every sweep must end.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schemas/types/submit.hpp"
#include "tests/sim/server_host.hpp"
#include "tests/sim/widths.hpp"
#include "tests/sim/worker_host.hpp"

namespace hone::sim {

struct Tally {
  int crashes = 0;
  std::int64_t told_of_ranks = 0;  // sweeps that began with what earlier ones showed
  std::int64_t rule_forks = 0;     // that the rule `hone` started
  std::int64_t reports = 0;        // recorded
  std::int64_t acknowledged = 0;   // received by a worker
  std::int64_t attempts = 0;
  std::array<std::int64_t, 3> verdicts{};  // acknowledged, by action
  std::int64_t promoted = 0;               // paused runs that continued
  Duration simulated{};
  std::int64_t steps = 0;
  std::int64_t reads = 0;   // requests to the API meanwhile
  int snapshots = 0;        // boots from one
  std::int64_t offers = 0;  // free slots that had to get work at once
  std::int64_t left = 0;    // workers that had to hold no lease when they exited
  WidthTally widths{};
};

class World;

// A property that must hold, and when it is checked. `sim --promises` prints the table.
struct Promise {
  std::string_view name;
  std::string_view when;
  std::string (World::*at_end)();  // null: checked on the way (witness, server, leases)
};
std::span<const Promise> promises();

class World {
 public:
  explicit World(std::uint64_t seed);

  // Runs to the end. Returns the broken promise, or an empty string. A broken promise of the engine
  // aborts the process; the caller's hook then prints describe().
  std::string run();

  [[nodiscard]] std::string describe() const;
  [[nodiscard]] const Tally& tally() const { return tally_; }

  // The ledger so far, one event per line, as in tests/golden.
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
  void send(const Message& message, std::size_t worker, const ServerHost::Answer& done);
  [[nodiscard]] bool cut(std::size_t worker, bool request) const;
  void cut_off(std::size_t worker);
  void add_successor(Rng& rng);
  void submit(std::uint64_t number);
  void meddle();  // a user's commands, and faults with a rate per second
  bool all_ended() const;
  std::string unfinished() const;
  Duration delay();

  // The promises. Each returns what is broken, or an empty string.
  std::string check_leases() const;  // after every step
  void check_idle_slots();
  void check_left(WorkerId worker);
  std::string check_acknowledged();
  std::string check_runs();
  std::string check_proposals();
  std::string check_verdicts();
  std::string check_replay();
  std::string check_counts();
  std::string check_curves();
  std::string check_projection();
  std::string check_file();
  std::string check_retries();
  std::string check_widths();
  std::string check_aggregates();
  std::string check_confirmations();
  std::string check_patience();
  std::string check_best();

  std::uint64_t seed_;
  Rng rng_;
  FaultPlan faults_;
  bool reaches_the_server_;  // from the beginning
  Agenda agenda_;
  ServerHost server_;
  std::vector<Partition> partitions_;  // by worker
  std::vector<std::unique_ptr<WorkerHost>> workers_;
  std::vector<SubmitRequest> submissions_;
  // Every verdict that a worker received, by lease and phase.
  std::map<std::pair<LeaseId, int>, Verdict> acknowledged_;
  std::string broken_;
  std::vector<std::optional<Instant>> idle_since_;  // by worker: with free slots and work for them
  int confirms_ = 0;                                // requested by users
  bool storm_ = true;                               // faults and users' commands still happen
  Tally tally_;
};

}  // namespace hone::sim
