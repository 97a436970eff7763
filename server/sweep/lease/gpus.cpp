// The GPUs of a worker that announced their memory: which ones a run gets, next to which others.
#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "server/sweep/state/rules.hpp"

namespace hone {
namespace {

ResourcesSpec without_sharing(ResourcesSpec needs) {
  needs.gpu_memory = 0;
  return needs;
}

// Adds `sign` times what the lease takes of each of its GPUs: all of it where it shares none. An
// imported sweep has leases of workers whose GPUs are not known.
void change_gpus(WorkerState& worker, const Lease& lease, const ResourcesSpec& needs, int sign) {
  for (const int device : lease.devices) {
    const auto index = static_cast<std::size_t>(device);
    if (index >= worker.gpu_free.size()) continue;
    const auto taken = needs.gpu_memory > 0 ? needs.gpu_memory : worker.gpu_memory[index];
    worker.gpu_free[index] += sign * taken;
  }
}

}  // namespace

ResourcesSpec needs_of(const SweepSpec& spec, const Run& run) {
  ResourcesSpec needs = resources_of(spec, run.step);
  return run.alone ? without_sharing(std::move(needs)) : needs;
}

ResourcesSpec needs_of(const SweepSpec& spec, const Lease& lease) {
  ResourcesSpec needs = resources_of(spec, lease.step);
  if (lease.cpus > 0) needs.cpus = lease.cpus;
  needs.cpus_max = 0;
  return lease.alone ? without_sharing(std::move(needs)) : needs;
}

namespace {

// The GPUs of the room of which so much is free, those with most of it first.
std::vector<int> devices_with(const ResourcesSpec& needs, const Room& room) {
  std::vector<int> devices(room.gpu_memory.size());
  std::iota(devices.begin(), devices.end(), 0);
  const auto free = [&](int device) { return room.gpu_free.at(static_cast<std::size_t>(device)); };
  std::erase_if(devices, [&](int device) {
    const auto all = room.gpu_memory.at(static_cast<std::size_t>(device));
    return free(device) < (needs.gpu_memory > 0 ? needs.gpu_memory : all);
  });
  std::ranges::stable_sort(devices, std::greater{}, free);
  return devices;
}

}  // namespace

std::optional<std::vector<int>> devices_for(const ResourcesSpec& needs, const Room& room) {
  auto devices = devices_with(needs, room);
  if (static_cast<int>(devices.size()) < needs.gpus) return std::nullopt;
  devices.resize(static_cast<std::size_t>(needs.gpus));
  std::ranges::sort(devices);
  return devices;
}

void empty_gpus(int gpus, Room& room) {
  auto devices = devices_with({.gpu_memory = 1}, room);
  devices.resize(std::min(devices.size(), static_cast<std::size_t>(gpus)));
  for (const int device : devices) room.gpu_free.at(static_cast<std::size_t>(device)) = 0;
}

bool gpus_fit(const ResourcesSpec& needs, const Room& room) {
  if (needs.gpus == 0) return true;
  if (!room.gpu_memory.empty()) return devices_for(needs, room).has_value();
  return needs.gpu_memory == 0 && needs.gpus <= room.counted.gpus;
}

void take_gpus(WorkerState& worker, const Lease& lease, const ResourcesSpec& needs) {
  change_gpus(worker, lease, needs, -1);
}

void give_gpus_back(WorkerState& worker, const Lease& lease, const ResourcesSpec& needs) {
  change_gpus(worker, lease, needs, 1);
}

Status check_offer(const WorkerState& worker, const AcquireRequest& offer) {
  const auto known = worker.gpu_memory.size();
  if (known == 0 || offer.gpu_free.empty() || offer.gpu_free.size() == known) return Done{};
  return refuse(Code::invalid,
                "names " + std::to_string(offer.gpu_free.size()) + " GPUs; " + text(worker.id) +
                    " joined with " + std::to_string(known),
                "/gpu_free");
}

Room room_of(const SweepSpec& spec, const Run* run, int step) {
  ResourcesSpec needs = run != nullptr ? needs_of(spec, *run) : resources_of(spec, step);
  if (run != nullptr && run->keep) needs.cpus = std::max(needs.cpus, run->keep->cpus);
  const auto gpus = static_cast<std::size_t>(needs.gpus);
  // One that is taken in part fits no run that must be alone.
  const auto free = std::max<std::int64_t>(resources_of(spec, step).gpu_memory, 1);
  const auto all = free + (needs.gpu_memory > 0 ? 1 : 0);
  return {std::move(needs), std::vector<std::int64_t>(gpus, free),
          std::vector<std::int64_t>(gpus, all)};
}

}  // namespace hone
