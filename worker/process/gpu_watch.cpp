#include "worker/process/gpu_watch.hpp"

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "worker/agent/limits.hpp"

namespace hone::worker {

struct GpuWatch::Shared {
  using Steady = std::chrono::steady_clock;
  struct Reading {
    GpuUse use;
    Steady::time_point at;
  };

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::string> devices;
  std::map<std::string, Reading> readings;
  bool started = false, stopping = false, ended = false;

  void run() {
    const auto nvml = Nvml::open();
    std::unique_lock lock(mutex);
    while (nvml && !stopping) {
      const auto wanted = devices;
      lock.unlock();
      std::map<std::string, Reading> read;
      for (const std::string& device : wanted)
        if (const auto use = nvml->read(device)) read[device] = {*use, Steady::now()};
      lock.lock();
      readings = std::move(read);
      const auto wakes = [&] { return stopping || devices != wanted; };
      if (devices.empty())
        changed.wait(lock, wakes);
      else
        changed.wait_for(lock, std::chrono::microseconds(limits::gpu_period.us), wakes);
    }
    ended = true;
    changed.notify_all();
  }
};

GpuWatch::GpuWatch() : shared_(std::make_shared<Shared>()) {}

// A thread that hangs in the driver keeps its share of the state, and ends with the process.
GpuWatch::~GpuWatch() {
  std::unique_lock lock(shared_->mutex);
  shared_->stopping = true;
  shared_->changed.notify_all();
  if (shared_->started)
    shared_->changed.wait_for(lock, std::chrono::microseconds(limits::gpu_last.us),
                              [this] { return shared_->ended; });
}

void GpuWatch::watch(std::vector<std::string> devices) {
  const std::lock_guard lock(shared_->mutex);
  if (devices == shared_->devices) return;
  shared_->devices = std::move(devices);
  if (!std::exchange(shared_->started, true))
    std::thread([shared = shared_] { shared->run(); }).detach();
  shared_->changed.notify_all();
}

std::optional<GpuUse> GpuWatch::read(const std::vector<std::string>& devices) const {
  const std::lock_guard lock(shared_->mutex);
  const auto oldest = Shared::Steady::now() - std::chrono::microseconds(limits::gpu_stale.us);
  GpuUse sum;
  for (const std::string& device : devices) {
    const auto found = shared_->readings.find(device);
    if (found == shared_->readings.end() || found->second.at < oldest) return std::nullopt;
    sum.busy += found->second.use.busy / static_cast<double>(devices.size());
    sum.memory_bytes += found->second.use.memory_bytes;
  }
  if (devices.empty()) return std::nullopt;
  return sum;
}

}  // namespace hone::worker
