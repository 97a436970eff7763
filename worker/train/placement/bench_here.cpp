#include "worker/train/placement/bench_here.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

namespace hone::trainers {
namespace {

using placement::Node;
using placement::Problem;
using placement::TaskKind;

constexpr int tries = 100;  // short ones: during some of them the core is free

// The time of the fastest of `tries` steps, the first discarded.
double least_ms(const RealStep& step, Kernels& kernels) {
  LaneThreads threads(step, kernels);
  double least = HUGE_VAL;
  for (int i = 0; i <= tries; ++i) {
    const double ms = threads.run().step_ms;
    if (i > 0) least = std::min(least, ms);
  }
  return least;
}

double work_ms(const RealWork& work, int device, Kernels& kernels) {
  RealStep step{device + 1, device + 1, {Job{}}};
  step.jobs.front().lane = device;
  step.jobs.front().work = work;
  step.jobs.front().writes = kernels.make_tensor(device, 0);
  const double ms = least_ms(step, kernels);
  kernels.forget_tensors();
  return ms;
}

// Measures transfers between two devices, including the time to wake threads.
double transfer_ms(double bytes, Kernels& kernels) {
  const int last = kernels.devices() - 1;
  RealStep step{last + 1, last + 2, {Job{}, Job{}, Job{}}};
  step.jobs[0].writes = kernels.make_tensor(0, bytes);
  step.jobs[0].then = {1};
  step.jobs[1] = {last + 1, {}, {}, step.jobs[0].writes, kernels.make_tensor(last, bytes), 1, {2}};
  step.jobs[2] = {last, {}, {step.jobs[1].writes}, -1, kernels.make_tensor(last, 0), 1, {}};
  const double ms = least_ms(step, kernels);
  kernels.forget_tensors();
  return ms;
}

placement::Link link_here(Kernels& kernels) {
  constexpr double little = 4096;
  constexpr double much = 16'777'216;
  const double latency_ms = transfer_ms(little, kernels);
  const double ms = std::max(transfer_ms(much, kernels) - latency_ms, 1e-6);
  return {latency_ms, ms / (much - little), 2};
}

// The speed of the slowest device, so that a step on no device takes longer than requested.
void put_rates(Kernels& kernels, Here& here) {
  constexpr double flop = 33'554'432;  // less than a millisecond of a CPU core
  constexpr double bytes = 16'777'216;
  std::set<std::string> seen;
  for (int d = 0; d < kernels.devices(); ++d) {
    if (!seen.insert(kernels.name(d)).second) continue;
    const double flop_per_s = 1e3 * flop / work_ms({flop, 0}, d, kernels);
    const double bytes_per_s = 1e3 * bytes / work_ms({0, bytes}, d, kernels);
    if (seen.size() > 1 && flop_per_s >= here.flop_per_s) continue;
    here.flop_per_s = flop_per_s;
    here.bytes_per_s = bytes_per_s;
  }
}

// The work of every task. Where the graph's file gives times, arithmetic that takes as long here.
RealWork whole_work(const Problem& problem, int task, const Here& here) {
  const auto index = static_cast<std::size_t>(problem.node_of_task[static_cast<std::size_t>(task)]);
  const Node& node = problem.graph.nodes[index];
  const bool forward = problem.kind(task) == TaskKind::forward;
  const double told_ms =
      forward || node.backward_ms < 0 ? (forward ? 1 : 2) * node.forward_ms : node.backward_ms;
  if (node.forward_ms >= 0) return {told_ms / 1e3 * here.flop_per_s, 0};
  double bytes = node.stored_bytes + node.param_bytes + node.out_bytes + node.row_bytes;
  for (const int weight : node.weights)
    bytes += problem.graph.weights[static_cast<std::size_t>(weight)].bytes;
  const double passes = forward ? 1 : 2;
  if (node.flop / here.flop_per_s >= bytes / here.bytes_per_s) return {passes * node.flop, 0};
  return {0, passes * bytes};
}

void put_works(const Problem& problem, double step_ms, Here& here) {
  double total_ms = 0;
  for (int task = 0; task < problem.tasks; ++task) {
    here.works.push_back(whole_work(problem, task, here));
    const RealWork& work = here.works.back();
    total_ms += 1e3 * (work.flop / here.flop_per_s + work.bytes / here.bytes_per_s);
  }
  here.scale = total_ms > step_ms ? step_ms / total_ms : 1;
  for (RealWork& work : here.works) {
    work.flop *= here.scale;
    work.bytes *= here.scale;
  }
}

// The time of every task on one device, in a step that runs only there.
std::vector<double> task_ms(const Problem& problem, const Here& here, int device, int steps,
                            Kernels& kernels) {
  const placement::Placement all(static_cast<std::size_t>(problem.groups), device);
  const auto step = real_step(problem, all, here.works, kernels);
  std::vector<double> least(static_cast<std::size_t>(problem.tasks), HUGE_VAL);
  {
    LaneThreads threads(step, kernels);
    for (int i = 0; i < steps; ++i) {
      const auto ran = threads.run();
      for (std::size_t task = 0; i > 0 && task < least.size(); ++task)
        least[task] = std::min(least[task], ran.job_ms[task]);
    }
  }
  kernels.forget_tensors();
  return least;
}

}  // namespace

void Here::learn(int device, const std::vector<double>& job_ms, const Kernels& kernels) {
  const auto devices = static_cast<std::size_t>(problem.devices());
  for (std::size_t d = 0; d < devices; ++d) {
    if (kernels.name(static_cast<int>(d)) != kernels.name(device)) continue;
    for (std::size_t task = 0; task < works.size(); ++task) {
      double& cost = problem.cost_ms[task * devices + d];
      cost = std::min(cost, job_ms[task]);
    }
  }
}

Here bench_here(const Problem& problem, Kernels& kernels, double step_ms, int steps) {
  Here here;
  put_rates(kernels, here);
  here.link = link_here(kernels);
  put_works(problem, step_ms, here);
  placement::Timings timings{here.scale, problem.cost_ms, here.link};
  here.problem = placement::retimed(problem, timings);  // its tensors are those that run
  const auto devices = static_cast<std::size_t>(problem.devices());
  std::map<std::string, std::vector<double>> of_kind;
  for (std::size_t d = 0; d < devices; ++d) {
    auto& costs = of_kind[kernels.name(static_cast<int>(d))];
    if (costs.empty())
      costs = task_ms(here.problem, here, static_cast<int>(d), std::max(2, steps), kernels);
    for (std::size_t task = 0; task < costs.size(); ++task)
      timings.cost_ms[task * devices + d] = costs[task];
  }
  here.problem = placement::retimed(problem, std::move(timings));
  return here;
}

}  // namespace hone::trainers
