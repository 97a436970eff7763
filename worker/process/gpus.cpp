#include "worker/process/gpus.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <numeric>
#include <optional>
#include <sstream>
#include <string_view>

#include "base/files.hpp"
#include "base/process.hpp"
#include "worker/process/environment.hpp"

namespace hone::worker {
namespace {

// A broken driver lets nvidia-smi hang.
constexpr int patience_ms = 10'000;

// Empty if it cannot be run, or fails.
std::string list_of_nvidia_smi() {
  auto output = make_pipe();
  const FileHandle null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!output || !null) return {};
  const auto pid = start_process({.argv = {"nvidia-smi", "-L"},
                                  .in = null.fd(),
                                  .out = output->write.fd(),
                                  .err = null.fd(),
                                  .death_signal = SIGKILL});
  if (!pid) return {};
  output->write.close();
  pollfd listing{output->read.fd(), POLLIN, 0};
  if (::poll(&listing, 1, patience_ms) != 1) ::kill(*pid, SIGKILL);
  std::string list = read_to_end(output->read);
  const int status = wait_for(*pid);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? list : std::string();
}

// "GPU-5ef9..." of "GPU 0: NVIDIA H100 (UUID: GPU-5ef9...)".
std::string uuid_in(const std::string& line) {
  constexpr std::string_view mark = "(UUID: ";
  const auto from = line.find(mark);
  if (from == std::string::npos) return {};
  return line.substr(from + mark.size(), line.find(')', from) - from - mark.size());
}

std::optional<std::string> visible_devices(const std::vector<std::string>& environment) {
  constexpr std::string_view name = "CUDA_VISIBLE_DEVICES=";
  for (const std::string& entry : environment)
    if (entry.starts_with(name)) return entry.substr(name.size());
  return std::nullopt;
}

// The names of all GPUs where some are divided; else none.
std::vector<std::string> names_of(const std::vector<ListedGpu>& listed) {
  std::vector<std::string> names;
  for (const ListedGpu& gpu : listed) {
    if (gpu.parts.empty()) names.push_back(gpu.uuid);
    names.insert(names.end(), gpu.parts.begin(), gpu.parts.end());
  }
  const auto divided = [](const ListedGpu& gpu) { return !gpu.parts.empty(); };
  return std::ranges::any_of(listed, divided) ? names : std::vector<std::string>{};
}

// Of GPUs with these names; an entry that comes twice has half of it each time.
std::vector<std::int64_t> memory_of(const Nvml& nvml, const std::vector<std::string>& names) {
  std::vector<std::int64_t> memory;
  for (const std::string& name : names) {
    const auto bytes = nvml.memory(name);
    if (!bytes || *bytes <= 0) return {};
    memory.push_back(*bytes / std::ranges::count(names, name));
  }
  return memory;
}

}  // namespace

int count_visible(const std::string& visible) {
  int entries = 0;
  std::istringstream list(visible);
  for (std::string entry; std::getline(list, entry, ','); ++entries)
    if (entry.empty() || entry.starts_with('-')) break;
  return entries;
}

std::vector<ListedGpu> read_gpu_list(const std::string& text) {
  std::vector<ListedGpu> gpus;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("GPU "))
      gpus.push_back({uuid_in(line), {}});
    else if (!gpus.empty() && line.find("MIG ") != std::string::npos)
      gpus.back().parts.push_back(uuid_in(line));
  }
  return gpus;
}

Gpus find_gpus(const std::vector<std::string>& environment) {
  const auto nvml = Nvml::open();
  auto listed = nvml ? nvml->list() : std::vector<ListedGpu>{};
  if (listed.empty() && nvml) listed.resize(static_cast<std::size_t>(nvml->count().value_or(0)));
  if (listed.empty()) listed = read_gpu_list(list_of_nvidia_smi());
  if (listed.empty()) return {};
  Gpus gpus{static_cast<int>(listed.size()), names_of(listed), {}};
  if (!gpus.names.empty()) gpus.count = static_cast<int>(gpus.names.size());
  if (const auto visible = visible_devices(environment)) gpus = {count_visible(*visible), {}, {}};
  gpus.count = std::min(gpus.count, gpus_max);
  std::vector<int> numbers(static_cast<std::size_t>(gpus.count));
  std::iota(numbers.begin(), numbers.end(), 0);
  const auto entries = gpus.names.empty() ? device_names(environment, numbers) : gpus.names;
  if (nvml && named_as_by_driver(environment, entries)) gpus.memory = memory_of(*nvml, entries);
  gpus.memory.resize(std::min(gpus.memory.size(), numbers.size()));
  return gpus;
}

}  // namespace hone::worker
