#include "worker/process/memory_group.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "worker/process/oom_kills.hpp"

namespace hone::worker {
namespace {

namespace fs = std::filesystem;

constexpr const char* group_prefix = "hone-run-";

// The names of the same files in both versions.
struct Version {
  const char* limit;
  const char* swap_limit;  // may be missing: swap is then bounded by the limit itself
  bool swap_is_extra;      // a limit of swap alone, not of memory and swap together
  const char* counter;
};
constexpr Version version_1{"memory.limit_in_bytes", "memory.memsw.limit_in_bytes", false,
                            "memory.oom_control"};
constexpr Version version_2{"memory.max", "memory.swap.max", true, "memory.events"};

// Where groups are made, once use_memory_groups() found it.
struct Place {
  std::string folder;
  const Version* version = nullptr;
};
Place& place() {
  static Place found;
  return found;
}

bool write_to(const std::string& path, const std::string& text) {
  const FileHandle file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return file && ::write(file.fd(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

bool has_word(const std::string& path, const std::string& word) {
  std::ifstream file(path);
  for (std::string one; file >> one;)
    if (one == word) return true;
  return false;
}

std::string reason() { return std::strerror(errno); }

// A group that holds processes may not pass the controller on: this process moves into one below.
Status pass_on_memory(const std::string& own) {
  if (has_word(own + "/cgroup.subtree_control", "memory")) return Done{};
  const std::string leaf = own + "/hone-worker-" + std::to_string(::getpid());
  if (::mkdir(leaf.c_str(), 0755) != 0)
    return refuse(Code::forbidden, own + " is not delegated to this account: " + reason());
  const std::string pid = std::to_string(::getpid());
  if (write_to(leaf + "/cgroup.procs", pid) && write_to(own + "/cgroup.subtree_control", "+memory"))
    return Done{};
  const std::string why = reason();
  write_to(own + "/cgroup.procs", pid);
  ::rmdir(leaf.c_str());
  return refuse(Code::forbidden,
                own + " cannot be divided (it must hold this worker alone): " + why);
}

// Removes the groups of workers that were killed.
void remove_left_groups(const std::string& folder) {
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with(group_prefix)) continue;
    const int pid = std::atoi(name.c_str() + std::strlen(group_prefix));
    if (pid > 0 && ::kill(pid, 0) != 0 && errno == ESRCH) ::rmdir(entry.path().c_str());
  }
}

Result<Place> find_place() {
  const std::string second = "/sys/fs/cgroup" + path_of_group("");
  if (has_word(second + "/cgroup.controllers", "memory")) {
    if (auto passed = pass_on_memory(second); !passed) return passed.error();
    return Place{second, &version_2};
  }
  const std::string first = "/sys/fs/cgroup/memory" + path_of_group("memory");
  if (fs::exists(first + "/" + version_1.limit)) return Place{first, &version_1};
  return refuse(Code::not_found, "no control group of this process has a memory controller");
}

}  // namespace

Result<std::string> use_memory_groups() {
  auto found = find_place();
  if (!found) return found.error();
  place() = *std::move(found);
  remove_left_groups(place().folder);
  constexpr std::int64_t some = 1LL << 30;
  if (auto tried = MemoryGroup::make(some); !tried) {
    place() = {};
    return tried.error();
  }
  return place().folder;
}

Result<MemoryGroup> MemoryGroup::make(std::int64_t bytes) {
  static std::int64_t made = 0;
  const auto& [folder, version] = place();
  if (version == nullptr) return refuse(Code::not_found, "there are no control groups");
  const std::string path =
      folder + "/" + group_prefix + std::to_string(::getpid()) + "-" + std::to_string(++made);
  if (::mkdir(path.c_str(), 0755) != 0)
    return refuse(Code::forbidden, "cannot make " + path + ": " + reason());
  FileHandle joins(::open((path + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
  const std::string limit = std::to_string(bytes);
  if (!joins || !write_to(path + "/" + version->limit, limit)) {
    const std::string why = reason();
    ::rmdir(path.c_str());
    return refuse(Code::forbidden, "cannot limit the memory of " + path + ": " + why);
  }
  write_to(path + "/" + version->swap_limit, version->swap_is_extra ? "0" : limit);
  write_to(path + "/memory.oom.group", "1");  // version 2: a run ends as a whole
  return MemoryGroup(path, std::move(joins), path + "/" + version->counter);
}

MemoryGroup::MemoryGroup(std::string path, FileHandle joins, std::string counter)
    : path_(std::move(path)), joins_(std::move(joins)), counter_(std::move(counter)) {}

MemoryGroup::MemoryGroup(MemoryGroup&& other) noexcept
    : path_(std::exchange(other.path_, {})),
      joins_(std::move(other.joins_)),
      counter_(std::move(other.counter_)) {}

MemoryGroup& MemoryGroup::operator=(MemoryGroup&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(joins_, other.joins_);
  std::swap(counter_, other.counter_);
  return *this;
}

MemoryGroup::~MemoryGroup() {
  if (!path_.empty()) ::rmdir(path_.c_str());
}

bool MemoryGroup::ran_out() const { return oom_kills({counter_}) > 0; }

}  // namespace hone::worker
