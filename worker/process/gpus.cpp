#include "worker/process/gpus.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <sstream>

#include "base/files.hpp"
#include "base/process.hpp"
#include "worker/process/nvml.hpp"

namespace hone::worker {
namespace {

// A broken driver lets nvidia-smi hang.
constexpr int patience_ms = 10'000;

// One line a GPU: "GPU 0: NVIDIA H100 (UUID: GPU-...)".
int count_by_nvidia_smi() {
  auto output = make_pipe();
  const FileHandle null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!output || !null) return 0;
  const auto pid = start_process({.argv = {"nvidia-smi", "-L"},
                                  .in = null.fd(),
                                  .out = output->write.fd(),
                                  .err = null.fd(),
                                  .death_signal = SIGKILL});
  if (!pid) return 0;
  output->write.close();
  pollfd listing{output->read.fd(), POLLIN, 0};
  if (::poll(&listing, 1, patience_ms) != 1) ::kill(*pid, SIGKILL);
  std::istringstream lines(read_to_end(output->read));
  const int status = wait_for(*pid);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return 0;
  int gpus = 0;
  for (std::string line; std::getline(lines, line);) gpus += line.starts_with("GPU ") ? 1 : 0;
  return gpus;
}

}  // namespace

int count_visible(const std::string& visible) {
  int entries = 0;
  std::istringstream list(visible);
  for (std::string entry; std::getline(list, entry, ','); ++entries)
    if (entry.empty() || entry.starts_with('-')) break;
  return entries;
}

int count_gpus(const std::optional<std::string>& visible) {
  const auto nvml = Nvml::open();
  const auto listed = nvml ? nvml->count() : std::nullopt;
  const int there = listed ? *listed : count_by_nvidia_smi();
  return std::min(gpus_max, visible && there > 0 ? count_visible(*visible) : there);
}

}  // namespace hone::worker
