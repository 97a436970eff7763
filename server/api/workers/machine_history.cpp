#include "server/api/workers/machine_history.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "server/limits.hpp"

namespace hone::api {
namespace {

constexpr auto tiers = limits::machine_tiers;

std::array<std::optional<double>, 7> numbers_of(const MachineSample& s) {
  const auto real = [](const std::optional<std::int64_t>& bytes) {
    return bytes ? std::optional(static_cast<double>(*bytes)) : std::nullopt;
  };
  return {s.cpu,         real(s.memory), s.cpu_pressure,    s.memory_pressure,
          s.io_pressure, s.gpu,          real(s.gpu_memory)};
}

}  // namespace

bool MachineHistory::make_room(WorkerId worker, Instant now) {
  if (machines_.contains(worker) || machines_.size() < limits::machines_kept_max) return true;
  const auto longest =
      std::ranges::min_element(machines_, {}, [](const auto& one) { return one.second.heard; });
  if (now - longest->second.heard < limits::machine_quiet_time) return false;
  machines_.erase(longest);
  return true;
}

void MachineHistory::add(WorkerId worker, const MachineSamples& samples, Instant now) {
  const std::lock_guard lock(mutex_);
  if (!make_room(worker, now)) return;
  Machine& machine = machines_[worker];
  machine.cores = samples.cores;
  machine.memory = samples.memory;
  machine.heard = now;
  for (const MachineSample& sample : samples.samples)
    for (std::size_t i = 0; i < machine.tiers.size(); ++i)
      add(machine.tiers[i], i, sample, now - sample.age);
}

void MachineHistory::add(Tier& tier, std::size_t place, const MachineSample& sample, Instant at) {
  const std::int64_t index = at.us / (tiers[place].seconds * 1'000'000);
  if (index < tier.open || at < Instant{}) return;
  if (index > tier.open) {
    if (tier.open >= 0) tier.closed.push_back(mean_of(tier));
    if (tier.closed.size() > tiers[place].kept) tier.closed.pop_front();
    tier.open = index;
    tier.sums = {};
    tier.counts = {};
  }
  const auto numbers = numbers_of(sample);
  for (std::size_t i = 0; i < measured; ++i) {
    if (!numbers[i]) continue;
    tier.sums[i] += *numbers[i];
    ++tier.counts[i];
  }
}

MachineHistory::Mean MachineHistory::mean_of(const Tier& tier) {
  Mean mean{tier.open, {}};
  for (std::size_t i = 0; i < measured; ++i)
    mean.values[i] = tier.counts[i] == 0 ? std::numeric_limits<float>::quiet_NaN()
                                         : static_cast<float>(tier.sums[i] / tier.counts[i]);
  return mean;
}

MachinePoint MachineHistory::point_of(const Mean& mean, std::int64_t seconds) {
  MachinePoint point{Instant{mean.index * seconds * 1'000'000}, seconds};
  const std::array members{
      &point.cpu,         &point.memory, &point.cpu_pressure, &point.memory_pressure,
      &point.io_pressure, &point.gpu,    &point.gpu_memory};
  for (std::size_t i = 0; i < measured; ++i)
    if (!std::isnan(mean.values[i])) *members[i] = mean.values[i];
  return point;
}

// From the shortest means back to the longest: each tier ends where the one before begins.
std::optional<MachinePast> MachineHistory::read(WorkerId worker, Instant from, Instant to) const {
  const std::lock_guard lock(mutex_);
  const auto found = machines_.find(worker);
  if (found == machines_.end()) return std::nullopt;
  MachinePast past{found->second.cores, found->second.memory, {}};
  Instant end = to;
  for (std::size_t i = 0; i < tiers.size(); ++i) {
    const Tier& tier = found->second.tiers[i];
    const std::int64_t seconds = tiers[i].seconds;
    const auto take = [&](const Mean& mean) {
      MachinePoint point = point_of(mean, seconds);
      const Instant until = point.from + hone::seconds(seconds);
      const bool known = i > 0 && until > end;
      if (!known && point.from <= end && until >= from) past.points.push_back(point);
    };
    if (tier.open >= 0) take(mean_of(tier));
    std::for_each(tier.closed.rbegin(), tier.closed.rend(), take);
    if (!past.points.empty()) end = std::min(end, past.points.back().from);
  }
  std::ranges::reverse(past.points);
  return past;
}

}  // namespace hone::api
