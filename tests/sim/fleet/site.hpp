// A cluster with faults: jobs that wait, run and are preempted; submissions whose answers are lost,
// that are refused and leave a job all the same, or that arrive late; a controller that is away.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/rng.hpp"
#include "server/fleet/fleet.hpp"

namespace hone::sim {

struct Job {
  std::string token;
  PilotId pilot;
  std::string handle;
  Instant visible_at;  // in lists, from here on
  Instant starts_at;
  Duration wall;
  bool stays = false;
  bool started = false;
  bool ended = false;
  Instant ended_at{};
  bool failed = false;
};

class Cluster {
 public:
  // On every second cluster an account may have few jobs at a time.
  explicit Cluster(std::uint64_t seed) : rng_(seed, Purpose::simulation, 7) {
    if (rng_.uniform() < 0.5) quota_ = 1 + static_cast<int>(rng_.below(6));
  }

  SubmitResult submit(const PilotOrder& pilot, const FleetSpec& spec, Instant now);
  Result<Listing> list(Instant now);
  void cancel(const std::vector<PilotOrder>& pilots, Instant now);
  void end(Job& job, Instant now, bool failed);

  // Jobs that run or will run, whatever the coordinator believes.
  [[nodiscard]] int alive() const;

  std::vector<Job> jobs;
  std::map<std::string, int> submissions;  // by token
  bool calm = false;                       // no more faults
  std::optional<Instant> away_until{};     // the controller answers nothing before

 private:
  bool away(Instant now) const { return away_until && now < *away_until; }
  bool happens(double chance) { return !calm && rng_.uniform() < chance; }
  Job& add(const PilotOrder& pilot, const FleetSpec& spec, Instant now);

  Rng rng_;
  std::optional<int> quota_;
  int last_ = 0;
};

}  // namespace hone::sim
