#include "worker/train/placement/real_step.hpp"

#include <algorithm>
#include <cmath>

namespace hone::trainers {
namespace {

using placement::Arc;
using placement::Placement;
using placement::Problem;
using placement::TaskKind;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

class Builder {
 public:
  Builder(const Problem& problem, const Placement& placement, Kernels& kernels)
      : problem_(problem), kernels_(kernels) {
    step_.devices = problem.devices();
    const bool channels = problem.cluster.links == placement::Links::channel;
    step_.lanes = step_.devices + (channels ? step_.devices : step_.devices * step_.devices);
    for (int task = 0; task < problem.tasks; ++task)
      device_of_task_.push_back(placement[at(problem.group_of_task[at(task)])]);
  }

  RealStep build(const std::vector<RealWork>& works) {
    for (int task = 0; task < problem_.tasks; ++task) {
      Job job;
      job.lane = device_of_task_[at(task)];
      job.work = works[at(task)];
      job.writes = kernels_.make_tensor(job.lane, output_bytes(task));
      step_.jobs.push_back(std::move(job));
    }
    for (int task = 0; task < problem_.tasks; ++task) pass_on(task);
    for (std::size_t w = 0; w < problem_.users_of_weight.size(); ++w) share(w);
    return std::move(step_);
  }

 private:
  // A forward task sends one tensor to all its readers; a backward task sends one to each producer.
  [[nodiscard]] double amount(int task, int there) const {
    double bytes = 0;
    for (int a = problem_.arc_begin[at(task)]; a < problem_.arc_begin[at(task + 1)]; ++a) {
      const Arc& arc = problem_.arcs[at(a)];
      if (there >= 0 && device_of_task_[at(arc.to)] != there) continue;
      bytes =
          problem_.kind(task) == TaskKind::forward ? std::max(bytes, arc.bytes) : bytes + arc.bytes;
    }
    return bytes;
  }
  [[nodiscard]] double output_bytes(int task) const { return amount(task, -1); }

  void connect(int from, int to) {
    step_.jobs[at(from)].then.push_back(to);
    ++step_.jobs[at(to)].needs;
  }

  int add_transfer(int tensor, int from, int to, double bytes) {
    Job job;
    const bool channels = problem_.cluster.links == placement::Links::channel;
    job.lane = step_.devices + (channels ? from : from * step_.devices + to);
    job.copies = tensor;
    job.writes = kernels_.make_tensor(to, bytes);
    step_.jobs.push_back(std::move(job));
    return static_cast<int>(step_.jobs.size()) - 1;
  }

  void pass_on(int task) {
    const int here = device_of_task_[at(task)];
    std::vector<int> transfers(at(step_.devices), -1);
    for (int a = problem_.arc_begin[at(task)]; a < problem_.arc_begin[at(task + 1)]; ++a) {
      const int there = device_of_task_[at(problem_.arcs[at(a)].to)];
      if (there != here) transfers[at(there)] = 0;
    }
    for (int there = 0; there < step_.devices; ++there) {
      if (transfers[at(there)] < 0) continue;
      transfers[at(there)] =
          add_transfer(step_.jobs[at(task)].writes, here, there, amount(task, there));
      connect(task, transfers[at(there)]);
    }
    for (int a = problem_.arc_begin[at(task)]; a < problem_.arc_begin[at(task + 1)]; ++a) {
      const int to = problem_.arcs[at(a)].to;
      const int there = device_of_task_[at(to)];
      const int source = there == here ? task : transfers[at(there)];
      connect(source, to);
      step_.jobs[at(to)].reads.push_back(step_.jobs[at(source)].writes);
    }
  }

  // Weights are copied to each other device before its first task, gradients back after its last.
  void share(std::size_t weight) {
    const auto& users = problem_.users_of_weight[weight];
    if (users.empty()) return;
    const int home = device_of_task_[at(users.front().node)];
    const double whole = problem_.graph.weights[weight].bytes;
    const int tensor = kernels_.make_tensor(home, whole);
    const int nodes = static_cast<int>(problem_.graph.nodes.size());
    for (int there = 0; there < step_.devices; ++there) {
      double bytes = 0;
      for (const auto& user : users)
        if (device_of_task_[at(user.node)] == there) bytes += user.bytes;
      if (there == home || bytes <= 0) continue;
      bytes = std::min(bytes, whole);
      const int copy = add_transfer(tensor, home, there, bytes);
      const int copied = step_.jobs[at(copy)].writes;
      const int back = problem_.graph.training ? add_transfer(copied, there, home, bytes) : -1;
      for (const auto& user : users) {
        if (device_of_task_[at(user.node)] != there) continue;
        connect(copy, user.node);
        if (back >= 0) connect(nodes + user.node, back);
      }
    }
  }

  const Problem& problem_;
  Kernels& kernels_;
  RealStep step_;
  std::vector<int> device_of_task_;
};

}  // namespace

RealStep real_step(const Problem& problem, const Placement& placement,
                   const std::vector<RealWork>& works, Kernels& kernels) {
  return Builder(problem, placement, kernels).build(works);
}

float token_of(const std::vector<float>& inputs) {
  double sum = 1;
  for (const float input : inputs) sum += static_cast<double>(input);
  return static_cast<float>(std::fmod(sum, token_modulus));
}

}  // namespace hone::trainers
