// Samples of this machine that wait for a request of the worker to carry them.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "worker/process/gpu_watch.hpp"
#include "worker/process/machine_meter.hpp"

namespace hone::worker {

class MachineWatch {
 public:
  // `gpus`: how many of them the worker offers.
  MachineWatch(int gpus, Instant now);

  // When the next sample is due.
  [[nodiscard]] Instant due() const { return due_; }
  // The GPUs of which samples tell, as the driver names them.
  [[nodiscard]] const std::vector<std::string>& devices() const { return devices_; }
  // Takes a sample if it is due; the oldest of more than one request carries is dropped.
  void sample(const GpuWatch& gpus, Instant now);
  // Returns the samples since the last call, or nullopt. Those of a request that fails are lost:
  // the history of a machine has a gap then.
  std::optional<MachineSamples> take(Instant now);

 private:
  struct Taken {
    Instant at;
    MachineSample sample;
  };
  MachineMeter meter_;
  std::vector<std::string> devices_;
  std::deque<Taken> waiting_;
  Instant due_;
};

}  // namespace hone::worker
