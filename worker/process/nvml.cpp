#include "worker/process/nvml.hpp"

#include <dlfcn.h>

#include <array>
#include <charconv>
#include <utility>

namespace hone::worker {

struct Nvml::Library {
  // What nvml.h declares; every function returns 0 for success.
  using Handle = void*;
  struct Utilization {
    unsigned int gpu = 0, memory = 0;  // percent
  };
  struct Memory {
    unsigned long long total = 0, free = 0, used = 0;
  };
  struct Close {
    void operator()(void* opened) const { dlclose(opened); }
  };

  explicit Library(void* opened) : library(opened) {}

  // Returns whether the library has every function.
  bool find_all() {
    return find("nvmlInit_v2", init) && find("nvmlShutdown", shutdown) &&
           find("nvmlDeviceGetCount_v2", count) &&
           find("nvmlDeviceGetHandleByIndex_v2", handle_by_index) &&
           find("nvmlDeviceGetHandleByUUID", handle_by_uuid) &&
           find("nvmlDeviceGetUtilizationRates", utilization) &&
           find("nvmlDeviceGetMemoryInfo", memory);
  }
  // Those of the parts of GPUs (MIG), which older drivers lack.
  bool find_parts() {
    return find("nvmlDeviceGetUUID", uuid) && find("nvmlDeviceGetMaxMigDeviceCount", parts) &&
           find("nvmlDeviceGetMigDeviceHandleByIndex", part_by_index);
  }
  template <class Function>
  bool find(const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(dlsym(library.get(), name));
    return function != nullptr;
  }

  std::unique_ptr<void, Close> library;
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*count)(unsigned int*) = nullptr;
  int (*handle_by_index)(unsigned int, Handle*) = nullptr;
  int (*handle_by_uuid)(const char*, Handle*) = nullptr;
  int (*utilization)(Handle, Utilization*) = nullptr;
  int (*memory)(Handle, Memory*) = nullptr;
  int (*uuid)(Handle, char*, unsigned int) = nullptr;
  int (*parts)(Handle, unsigned int*) = nullptr;
  int (*part_by_index)(Handle, unsigned int, Handle*) = nullptr;

  // `device`: an entry of CUDA_VISIBLE_DEVICES.
  [[nodiscard]] Handle handle_of(const std::string& device) const {
    Handle handle = nullptr;
    unsigned int index = 0;
    const char* const end = device.data() + device.size();
    const auto [stop, fault] = std::from_chars(device.data(), end, index);
    const bool is_index = fault == std::errc{} && stop == end;
    const int found =
        is_index ? handle_by_index(index, &handle) : handle_by_uuid(device.c_str(), &handle);
    return found == 0 ? handle : nullptr;
  }

  [[nodiscard]] std::string uuid_of(Handle device) const {
    std::array<char, 96> text{};
    return uuid(device, text.data(), text.size() - 1) == 0 ? std::string(text.data()) : "";
  }
};

Nvml::Nvml(std::unique_ptr<Library> library) : library_(std::move(library)) {}
Nvml::~Nvml() { library_->shutdown(); }

std::unique_ptr<Nvml> Nvml::open() {
  void* const opened = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) return nullptr;
  auto library = std::make_unique<Library>(opened);
  if (!library->find_all() || library->init() != 0) return nullptr;
  return std::unique_ptr<Nvml>(new Nvml(std::move(library)));
}

std::optional<int> Nvml::count() const {
  unsigned int devices = 0;
  if (library_->count(&devices) != 0) return std::nullopt;
  return static_cast<int>(devices);
}

std::vector<ListedGpu> Nvml::list() const {
  std::vector<ListedGpu> gpus;
  if (!library_->find_parts()) return gpus;
  for (unsigned int i = 0; i < static_cast<unsigned int>(count().value_or(0)); ++i) {
    Library::Handle handle = nullptr;
    if (library_->handle_by_index(i, &handle) != 0) return {};
    ListedGpu gpu{library_->uuid_of(handle), {}};
    unsigned int parts = 0;
    if (library_->parts(handle, &parts) != 0) parts = 0;
    for (unsigned int part = 0; part < parts; ++part)
      if (Library::Handle one = nullptr; library_->part_by_index(handle, part, &one) == 0)
        gpu.parts.push_back(library_->uuid_of(one));
    gpus.push_back(std::move(gpu));
  }
  return gpus;
}

std::optional<std::int64_t> Nvml::memory(const std::string& device) const {
  Library::Handle const handle = library_->handle_of(device);
  Library::Memory memory;
  if (handle == nullptr || library_->memory(handle, &memory) != 0) return std::nullopt;
  return static_cast<std::int64_t>(memory.total);
}

std::optional<GpuUse> Nvml::read(const std::string& device) const {
  Library::Handle const handle = library_->handle_of(device);
  Library::Utilization rates;
  Library::Memory memory;
  if (handle == nullptr || library_->utilization(handle, &rates) != 0 ||
      library_->memory(handle, &memory) != 0 || rates.gpu > 100)
    return std::nullopt;
  return GpuUse{rates.gpu / 100.0, static_cast<std::int64_t>(memory.used)};
}

}  // namespace hone::worker
