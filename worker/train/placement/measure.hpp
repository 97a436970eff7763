// `--measure`: placements run for real on the devices of this machine, beside what the simulator
// says of them.
#pragma once

#include <functional>
#include <stop_token>

#include "worker/train/run/trainer.hpp"

namespace hone::trainers {

struct MeasurePlan {
  TrainingJob job;
  std::filesystem::path model;  // a placement to measure instead of learning one; empty: learn
  std::filesystem::path out;    // where the learned placement is written; empty: nowhere
  int rounds = 3;               // through all placements
  int steps = 5;                // of each placement in a round; the first is discarded
  int random = 12;              // random placements among those that are run
  double step_ms = 100;         // about what a step on one device is to take
};

struct MeasuredPlacement {
  std::string name;
  double real_ms = 0;  // the fastest step: others would have a part in a mean
  double median_ms = 0;
  double most_ms = 0;
  double simulated_ms = 0;  // with the times of the tasks measured here
  double profile_ms = 0;    // with the constants of the kind of device that the settings name
};

struct Measurement {
  std::string graph;
  std::vector<std::string> devices;
  int cores = 0;
  double scale = 1;
  double gflop_per_s = 0;
  double gb_per_s = 0;
  double link_gb_per_s = 0;
  double latency_ms = 0;
  std::vector<MeasuredPlacement> placements;
  std::vector<std::string> left_out;  // and why
  double correlation = 0;             // Spearman's, of real and simulated
  double profile_correlation = 0;
};

// Refuses where libtorch is missing. `tell` hears what is done now.
Result<Measurement> measure_placements(const MeasurePlan& plan, const std::stop_token& stop,
                                       const std::function<void(const std::string&)>& tell);

}  // namespace hone::trainers
