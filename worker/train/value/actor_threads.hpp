// What apex and gorila have in common: actors that play a phase to its end.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "worker/train/value/options.hpp"

namespace hone::q {

// Runs body(player) for each player on a thread, and calls `tick` about once a second until all
// have returned.
template <class Player, class Body>
void run_threads(const std::vector<std::unique_ptr<Player>>& players, const Body& body,
                 const std::function<void()>& tick) {
  std::mutex mutex;
  std::condition_variable ended;
  auto running = players.size();
  std::vector<std::jthread> threads;
  for (const auto& each : players)
    threads.emplace_back([&, player = each.get()] {
      body(*player);
      const std::scoped_lock lock(mutex);
      --running;
      ended.notify_one();
    });
  std::unique_lock lock(mutex);
  while (!ended.wait_for(lock, std::chrono::seconds(1), [&] { return running == 0; })) {
    lock.unlock();
    tick();
    lock.lock();
  }
}

// Refuses settings that contradict each other or the environment.
template <class Trainer, Result<Options> (*options_of)(const trainers::TrainingJob&)>
Result<std::unique_ptr<trainers::Trainer>> make_with_actors(const trainers::TrainingJob& job) {
  auto options = options_of(job);
  if (!options) return std::move(options).error();
  auto trainer = std::make_unique<Trainer>(*options);
  if (auto made = trainer->make_actors(job); !made) return std::move(made).error();
  return std::unique_ptr<trainers::Trainer>(std::move(trainer));
}

}  // namespace hone::q
