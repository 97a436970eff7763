#include "placement/simulator.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace hone::placement {

Simulator::Simulator(const Problem& problem)
    : problem_(problem), devices_(static_cast<std::size_t>(problem.devices())) {
  const auto devices = devices_.size();
  device_of_task_.resize(static_cast<std::size_t>(problem.tasks));
  pair_free_ms_.resize(devices * devices);
  uses_left_.resize(problem.graph.weights.size() * devices);
  copy_ms_.resize(uses_left_.size());
  amounts_.resize(devices);
  legs_.resize(devices);
  arrivals_.resize(devices);
}

double Simulator::makespan(const Placement& placement) {
  reset(placement);
  if (!problem_.graph.weights.empty()) send_weights();
  for (int task = 0; task < problem_.tasks; ++task)
    if (needs_[static_cast<std::size_t>(task)] == 0) enqueue(task);
  int device = 0;
  double now = 0;
  while (next_event(device, now)) {
    if (devices_[static_cast<std::size_t>(device)].running >= 0)
      finish(device, now);
    else
      start(device, now);
  }
  return end_ms_;
}

Timeline Simulator::trace(const Placement& placement) {
  Timeline timeline;
  timeline.start_ms.assign(static_cast<std::size_t>(problem_.tasks), 0);
  timeline_ = &timeline;
  timeline.makespan_ms = makespan(placement);
  timeline_ = nullptr;
  return timeline;
}

double Simulator::step_ms(const Placement& placement) {
  bytes_.clear();
  if (fits(problem_, placement, bytes_)) return makespan(placement);
  double lacking = bytes_.empty() ? 1 : 0;  // empty: a group is where it may not run
  for (std::size_t d = 0; d < bytes_.size(); ++d)
    lacking += std::max(0.0, bytes_[d] / problem_.capacity_bytes[d] - 1);
  return problem_.failed_ms * (1 + lacking);
}

Cost Simulator::cost(const Placement& placement) {
  Cost cost;
  cost.step_ms = cost.total_ms = step_ms(placement);
  if (bytes_.empty()) memory_of(problem_, placement, bytes_);
  cost.peak_bytes = *std::max_element(bytes_.begin(), bytes_.end());
  if (problem_.memory_weight > 0)
    cost.total_ms += problem_.memory_weight * problem_.one_device_ms * cost.peak_bytes /
                     problem_.one_device_bytes;
  return cost;
}

void Simulator::reset(const Placement& placement) {
  for (Device& device : devices_) {
    device.queue.clear();
    device.busy_until = device.channel_ms = 0;
    device.running = -1;
  }
  for (std::size_t task = 0; task < device_of_task_.size(); ++task)
    device_of_task_[task] = placement[static_cast<std::size_t>(problem_.group_of_task[task])];
  needs_ = problem_.needs;
  ready_ms_.assign(device_of_task_.size(), 0);
  std::fill(pair_free_ms_.begin(), pair_free_ms_.end(), 0.0);
  end_ms_ = 0;
}

// The earliest event; ends of tasks before starts, lower devices first.
bool Simulator::next_event(int& device, double& when) const {
  double best = HUGE_VAL;
  bool best_ends = false;
  for (std::size_t d = 0; d < devices_.size(); ++d) {
    const Device& candidate = devices_[d];
    const bool ends = candidate.running >= 0;
    if (!ends && candidate.queue.empty()) continue;
    const double time =
        ends ? candidate.busy_until : std::max(candidate.busy_until, candidate.queue.front().first);
    if (time < best || (time == best && ends && !best_ends)) {
      best = time;
      best_ends = ends;
      device = static_cast<int>(d);
    }
  }
  when = best;
  return best < HUGE_VAL;
}

void Simulator::start(int device, double now) {
  Device& d = devices_[static_cast<std::size_t>(device)];
  d.running = d.queue.front().second;
  std::pop_heap(d.queue.begin(), d.queue.end(), std::greater<>());
  d.queue.pop_back();
  d.busy_until = now + problem_.cost(d.running, device);
  if (timeline_ != nullptr) timeline_->start_ms[static_cast<std::size_t>(d.running)] = now;
}

void Simulator::finish(int device, double now) {
  const int task = std::exchange(devices_[static_cast<std::size_t>(device)].running, -1);
  end_ms_ = std::max(end_ms_, now);
  pass_on(task, device, now);
  if (!problem_.graph.weights.empty() && problem_.kind(task) == TaskKind::backward)
    return_gradients(task, device, now);
  const auto& queue = devices_[static_cast<std::size_t>(device)].queue;
  if (!queue.empty() && queue.front().first <= now) start(device, now);
}

// A forward task sends one tensor to all its readers; a backward one sends each producer its own.
void Simulator::pass_on(int task, int device, double now) {
  const auto begin = static_cast<std::size_t>(problem_.arc_begin[static_cast<std::size_t>(task)]);
  const auto end = static_cast<std::size_t>(problem_.arc_begin[static_cast<std::size_t>(task) + 1]);
  const bool one_tensor = problem_.kind(task) == TaskKind::forward;
  std::uint64_t away = 0;
  for (std::size_t a = begin; a < end; ++a) {
    const Arc& arc = problem_.arcs[a];
    const int there = device_of_task_[static_cast<std::size_t>(arc.to)];
    if (there == device) {
      deliver(arc.to, now);
      continue;
    }
    const auto d = static_cast<std::size_t>(there);
    const bool first = ((away >> there) & 1) == 0;
    away |= std::uint64_t{1} << there;
    if (first) {
      amounts_[d] = arc.bytes;
      legs_[d] = arc.leg_ms;
    } else {
      amounts_[d] = one_tensor ? std::max(amounts_[d], arc.bytes) : amounts_[d] + arc.bytes;
      legs_[d] =
          one_tensor || arc.leg_ms < 0 ? std::max(legs_[d], arc.leg_ms) : legs_[d] + arc.leg_ms;
    }
  }
  if (away == 0) return;
  for (int there = 0; there < problem_.devices(); ++there)
    if (((away >> there) & 1) != 0) {
      const auto d = static_cast<std::size_t>(there);
      arrivals_[d] = send({task, device, there}, now,
                          problem_.transfer_ms(device, there, amounts_[d], legs_[d]));
    }
  for (std::size_t a = begin; a < end; ++a) {
    const int to = problem_.arcs[a].to;
    const int there = device_of_task_[static_cast<std::size_t>(to)];
    if (there != device) deliver(to, arrivals_[static_cast<std::size_t>(there)]);
  }
}

void Simulator::send_weights() {
  std::fill(uses_left_.begin(), uses_left_.end(), 0);
  for (std::size_t w = 0; w < problem_.users_of_weight.size(); ++w) {
    const auto& users = problem_.users_of_weight[w];
    if (users.empty()) continue;
    const auto row = w * devices_.size();
    const auto there_of = [&](const WeightUser& user) {
      return static_cast<std::size_t>(device_of_task_[static_cast<std::size_t>(user.node)]);
    };
    const std::size_t home = there_of(users.front());
    std::fill(amounts_.begin(), amounts_.end(), 0.0);
    for (const WeightUser& user : users) {
      amounts_[there_of(user)] += user.bytes;
      ++uses_left_[row + there_of(user)];
    }
    uses_left_[row + home] = -1;  // the home sends no gradient
    for (std::size_t d = 0; d < devices_.size(); ++d) {
      if (uses_left_[row + d] <= 0) continue;
      const Transfer copy{-1 - static_cast<int>(w), static_cast<int>(home), static_cast<int>(d)};
      copy_ms_[row + d] = problem_.transfer_ms(
          copy.from, copy.to, std::min(amounts_[d], problem_.graph.weights[w].bytes), unknown_ms);
      arrivals_[d] = send(copy, 0, copy_ms_[row + d]);
    }
    for (const WeightUser& user : users)
      if (there_of(user) != home) {
        auto& ready = ready_ms_[static_cast<std::size_t>(user.node)];
        ready = std::max(ready, arrivals_[there_of(user)]);
      }
  }
}

void Simulator::return_gradients(int task, int device, double now) {
  const int node = problem_.node_of_task[static_cast<std::size_t>(task)];
  for (const int weight : problem_.weights_of_node[static_cast<std::size_t>(node)]) {
    const auto w = static_cast<std::size_t>(weight);
    const auto copy = w * devices_.size() + static_cast<std::size_t>(device);
    if (uses_left_[copy] < 0 || --uses_left_[copy] != 0) continue;
    const auto first = static_cast<std::size_t>(problem_.users_of_weight[w].front().node);
    const double end = send({-1 - weight, device, device_of_task_[first]}, now, copy_ms_[copy]);
    end_ms_ = std::max(end_ms_, end);
  }
}

double Simulator::send(Transfer transfer, double now, double duration) {
  const auto from = static_cast<std::size_t>(transfer.from);
  const auto pair = from * devices_.size() + static_cast<std::size_t>(transfer.to);
  double& free =
      problem_.cluster.links == Links::channel ? devices_[from].channel_ms : pair_free_ms_[pair];
  transfer.begin_ms = std::max(now, free);
  transfer.end_ms = free = transfer.begin_ms + duration;
  if (timeline_ != nullptr) timeline_->transfers.push_back(transfer);
  return transfer.end_ms;
}

void Simulator::deliver(int task, double when) {
  auto& ready = ready_ms_[static_cast<std::size_t>(task)];
  ready = std::max(ready, when);
  if (--needs_[static_cast<std::size_t>(task)] == 0) enqueue(task);
}

void Simulator::enqueue(int task) {
  const auto at = static_cast<std::size_t>(task);
  auto& queue = devices_[static_cast<std::size_t>(device_of_task_[at])].queue;
  queue.emplace_back(ready_ms_[at], task);
  std::push_heap(queue.begin(), queue.end(), std::greater<>());
}

}  // namespace hone::placement
