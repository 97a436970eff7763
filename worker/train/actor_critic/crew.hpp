// The threads of one phase: a thread for each agent, and for GA3C the predictors and trainers.
// Between phases there are none, so a checkpoint sees one state.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "worker/train/actor_critic/agents/agent.hpp"
#include "worker/train/actor_critic/options.hpp"
#include "worker/train/actor_critic/serving/services.hpp"

namespace hone::ga3c {

// An agent and its leave to play; they outlive the crew.
struct Player {
  std::unique_ptr<Agent> agent;
  std::unique_ptr<Shift> shift;
};

// What all threads of a training work on.
struct Workplace {
  const Options& options;
  Master& master;
  EpisodeBook& episodes;
};

struct QueueMeters {
  DeskMeter predictions;
  DeskMeter training;
};

class Crew {
 public:
  explicit Crew(const Workplace& place) : place_(place) {}
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  virtual ~Crew() = default;

  // Lets players start or go home, so that the first `staff.agents` play, and as many servers work.
  virtual void employ(const Staff& staff, std::vector<Player>& players);
  // true once every agent has come to the end of the phase.
  bool wait_until(std::chrono::steady_clock::time_point deadline);
  virtual QueueMeters take_meters() { return {}; }

 protected:
  virtual std::unique_ptr<Services> services_of(int agent) = 0;
  [[nodiscard]] Tools tools() const;
  [[nodiscard]] const Workplace& place() const { return place_; }
  void join_players() { threads_.clear(); }

 private:
  void start(int i, Player& player);

  Workplace place_;
  std::mutex mutex_;
  std::condition_variable somebody_left_;
  int playing_ = 0;
  std::vector<std::jthread> threads_;  // of the agents; one that went home has ended
};

std::unique_ptr<Crew> make_crew(const Workplace& place);

}  // namespace hone::ga3c
