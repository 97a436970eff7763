// `--measure`: runs placements on the devices of this machine and compares with the simulator.
#pragma once

#include <functional>
#include <stop_token>

#include "worker/train/run/trainer.hpp"

namespace hone::trainers {

struct MeasurePlan {
  TrainingJob job;
  std::filesystem::path model;  // a placement to measure; empty: learn one
  std::filesystem::path out;    // where the learned placement is written; empty: nowhere
  int rounds = 3;               // through all placements
  int steps = 5;                // of each placement in a round; the first is discarded
  int random = 12;              // random placements among those that are run
  double step_ms = 100;         // approximate time of a step on one device
};

struct MeasuredPlacement {
  std::string name;
  double real_ms = 0;  // the fastest step: a mean would include the load of other programs
  double median_ms = 0;
  double most_ms = 0;
  double simulated_ms = 0;  // with the times of the tasks measured here
  double profile_ms = 0;    // with the constants of the setting `device`
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
  std::vector<std::string> left_out;  // placements that were not run, and why
  double correlation = 0;             // rank correlation (Spearman) of real and simulated times
  double profile_correlation = 0;
};

// Refuses if libtorch is missing. Calls `tell` with a description of each stage.
Result<Measurement> measure_placements(const MeasurePlan& plan, const std::stop_token& stop,
                                       const std::function<void(const std::string&)>& tell);

}  // namespace hone::trainers
