// NVIDIA's management library, which comes with the driver. It is loaded when it is needed: no
// program of hone links it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hone::worker {

// Of one GPU, whatever process uses it.
struct GpuUse {
  double busy = 0;  // share of the last moment (1/6 to 1 s) in which a kernel ran
  std::int64_t memory_bytes = 0;
};

// A GPU as the driver lists it.
struct ListedGpu {
  std::string uuid;                  // "GPU-5ef9..."
  std::vector<std::string> parts{};  // "MIG-...", where it is divided
};

class Nvml {
 public:
  // nullptr if the library is not installed, lacks a function, or does not start.
  static std::unique_ptr<Nvml> open();
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  // The number of GPUs; nullopt if the driver does not tell.
  [[nodiscard]] std::optional<int> count() const;
  // All GPUs; empty where the driver is too old to have parts of GPUs.
  [[nodiscard]] std::vector<ListedGpu> list() const;
  // Bytes of a device in all; nullopt if it is not there.
  [[nodiscard]] std::optional<std::int64_t> memory(const std::string& device) const;
  // `device`: an entry of CUDA_VISIBLE_DEVICES, "1" or "GPU-5ef9..."; numbers are those of
  // CUDA_DEVICE_ORDER=PCI_BUS_ID. nullopt for parts of a GPU (MIG), and for what is not there.
  [[nodiscard]] std::optional<GpuUse> read(const std::string& device) const;

 private:
  struct Library;
  explicit Nvml(std::unique_ptr<Library> library);
  std::unique_ptr<Library> library_;
};

}  // namespace hone::worker
