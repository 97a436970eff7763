#include "sdk/cli/local/disk_probe.hpp"

#include <fcntl.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace hone::load {
namespace {

constexpr std::array<char, 4096> page{};

}  // namespace

Result<DiskProbe> DiskProbe::in(const std::string& folder) {
  std::string path = folder + "/probe-" + std::to_string(getpid());
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0)
    return refuse(Code::invalid, "cannot write into " + folder + ": " + std::strerror(errno));
  return DiskProbe(file, std::move(path));
}

DiskProbe::DiskProbe(DiskProbe&& other) noexcept
    : file_(std::exchange(other.file_, -1)), path_(std::move(other.path_)), times_(other.times_) {}

DiskProbe::~DiskProbe() {
  if (file_ < 0) return;
  close(file_);
  unlink(path_.c_str());
}

Status DiskProbe::sync() {
  const auto before = std::chrono::steady_clock::now();
  if (write(file_, page.data(), page.size()) != static_cast<ssize_t>(page.size()) ||
      fdatasync(file_) != 0)
    return refuse(Code::internal, "cannot write " + path_ + ": " + std::strerror(errno));
  const auto took = std::chrono::steady_clock::now() - before;
  times_.add(std::chrono::duration_cast<std::chrono::microseconds>(took).count());
  return Done{};
}

Status DiskProbe::sync_for(std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end)
    if (auto synced = sync(); !synced) return synced;
  return Done{};
}

std::string file_system_of(const std::string& folder) {
  struct statfs about {};
  if (statfs(folder.c_str(), &about) != 0) return "unknown";
  switch (static_cast<unsigned long>(about.f_type)) {
    case 0xEF53UL:
      return "ext4";
    case 0x58465342UL:
      return "xfs";
    case 0x9123683EUL:
      return "btrfs";
    case 0x01021994UL:
      return "tmpfs";
    case 0x794C7630UL:
      return "overlay";
    case 0x6969UL:
      return "nfs";
    default:
      return "another";
  }
}

}  // namespace hone::load
