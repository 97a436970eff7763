// Simulates one step of a placed graph, event by event. Deterministic: the same placement gives the
// same trace.
//
// A device runs one task at a time, the one that became ready first (ties: the lower number). When
// a task ends, its output goes once to each other device that needs it, in the order of the
// devices: over the sender's only channel, or over a link of the pair (Links). A weight that
// several devices use is sent from its home at the start, and its gradient back when the last task
// there that uses it is done.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "placement/core/problem.hpp"

namespace hone::placement {

struct Transfer {
  int task = 0;  // that sent it; -1 - weight for a weight's copy or gradient
  int from = 0;
  int to = 0;
  double begin_ms = 0;
  double end_ms = 0;
};

struct Timeline {
  std::vector<double> start_ms;  // of each task
  std::vector<Transfer> transfers;
  double makespan_ms = 0;
};

// What a placement costs. The memory is that of the device that needs most.
struct Cost {
  double step_ms = 0;
  double peak_bytes = 0;
  double total_ms = 0;  // what searches minimize: the step time, and the worth of the memory
};

// Owns its working memory: use one for each thread. The problem must outlive it.
class Simulator {
 public:
  explicit Simulator(const Problem& problem);

  // Returns the time of the step, ignoring memory. Precondition: one device of the cluster for each
  // group.
  double makespan(const Placement& placement);
  Timeline trace(const Placement& placement);

  // Returns the time of the step. For a placement that does not fit, returns at least the problem's
  // failed_ms, and more the more memory it lacks, so that a search can compare failures.
  double step_ms(const Placement& placement);

  // Returns the time of the step as step_ms() does, the memory, and
  //   total_ms = step_ms + memory_weight * one_device_ms * peak_bytes / one_device_bytes.
  Cost cost(const Placement& placement);

 private:
  using Ready = std::pair<double, int>;  // when, task
  struct Device {
    std::vector<Ready> queue;  // a heap, earliest on top
    double busy_until = 0;
    int running = -1;
    double channel_ms = 0;
  };

  void reset(const Placement& placement);
  void send_weights();
  void finish(int device, double now);
  void pass_on(int task, int device, double now);
  void return_gradients(int task, int device, double now);
  void deliver(int task, double when);
  void enqueue(int task);
  void start(int device, double now);
  double send(Transfer transfer, double now, double duration);
  bool next_event(int& device, double& when) const;

  const Problem& problem_;
  std::vector<Device> devices_;
  std::vector<int> device_of_task_;
  std::vector<int> needs_;
  std::vector<double> ready_ms_;
  std::vector<double> pair_free_ms_;
  std::vector<int> uses_left_;  // [weight * devices + device]: tasks that still read the copy there
  std::vector<double> copy_ms_;  // how long sending the copy takes
  std::vector<double> amounts_;  // bytes that go to each device
  std::vector<double> legs_;
  std::vector<double> arrivals_;
  std::vector<double> bytes_;
  double end_ms_ = 0;
  Timeline* timeline_ = nullptr;
};

}  // namespace hone::placement
