// One simulated fleet from one seed: the real rules of sweeps and fleets under a virtual clock, on
// a cluster with faults. Then the faults stop, the sweep must end, and the fleet must leave no job.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "schemas/types/event.hpp"
#include "server/sweep/decide.hpp"
#include "tests/sim/fleet/site.hpp"

namespace hone::sim {

struct FleetTally {
  std::int64_t submissions = 0, adopted = 0, crashes = 0, preempted = 0, outages = 0, events = 0;
  std::int64_t hours = 0;  // outages of one hour
};

class FleetWorld {
 public:
  explicit FleetWorld(std::uint64_t seed);

  // Runs to the end. Returns the broken promise, or an empty string.
  std::string run();

  FleetTally tally;

 private:
  struct Busy {  // a run on a worker
    LeaseId lease;
    int phase = 0;
    Instant phase_ends_at;
  };
  struct Worker {
    WorkerId id;
    Instant ends_at, idle_since, beat_at;
    std::optional<Busy> run{};
  };

  Result<Reply> perform(const Command& command);
  void note_adoption(const PilotSeen& seen);
  void act(const Command& command);  // a reply is not needed
  void tick();
  void begin();
  void reconcile();
  void meddle();
  void serve_jobs();
  void start(Job& job);
  void work(Job& job, Worker& worker);
  void acquire(Worker& worker);
  void report(Worker& worker);
  void check();
  [[nodiscard]] bool sweep_ended() const;
  [[nodiscard]] std::string replayed() const;
  void broke(const std::string& what) {
    if (broken_.empty()) broken_ = what;
  }

  Rng rng_;
  FleetSpec spec_;
  Cluster cluster_;
  Book book_;
  std::vector<Event> ledger_;
  Instant now_{1'000'000'000};
  Instant list_at_{};
  std::vector<FleetNews> news_;
  std::map<std::string, Worker> workers_;  // by handle of their job
  int requests_ = 0;
  std::string broken_;
};

}  // namespace hone::sim
