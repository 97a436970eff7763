#include "worker/process/machine_meter.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <thread>

#include "worker/process/oom_kills.hpp"
#include "worker/process/proc_use.hpp"

namespace hone::worker {
namespace {

// Calls `use` with each line.
void each_line(std::string_view text, const auto& use) {
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    use(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// Takes the next number of the line; nullopt if what follows is none.
std::optional<std::int64_t> take_number(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  std::int64_t number = 0;
  const auto [stop, fault] = std::from_chars(line.data(), line.data() + line.size(), number);
  if (fault != std::errc{} || number < 0) return std::nullopt;
  line.remove_prefix(static_cast<std::size_t>(stop - line.data()));
  return number;
}

std::optional<std::int64_t> number_of_file(const std::string& path) {
  const auto text = read_small_file(path);
  if (!text) return std::nullopt;
  std::string_view line = *text;
  return take_number(line);
}

// The processors on which this process may run; empty: all, or more than the call can name.
std::set<int> affinity() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::set<int> processors;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return processors;
  for (int one = 0; one < CPU_SETSIZE; ++one)
    if (CPU_ISSET(one, &set)) processors.insert(one);
  return processors;
}

double share_of(double part, double whole) {
  return whole <= 0 ? 0 : std::clamp(part / whole, 0.0, 1.0);
}

// From the group of this process to the root.
std::vector<std::string> groups_of(const std::string& root, const std::string& mount,
                                   const std::string& controller) {
  std::vector<std::string> folders;
  for (std::string group = path_of_group(controller);;) {
    folders.push_back(root + mount + group);
    const auto slash = group.rfind('/');
    if (group.empty() || slash == std::string::npos) return folders;
    group.erase(slash);
  }
}

// "max 100000" or "150000 100000" of version 2: cores; nullopt without a limit.
std::optional<double> quota_of(const std::string& folder) {
  const auto text = read_small_file(folder + "/cpu.max");
  if (!text) return std::nullopt;
  std::string_view line = *text;
  const auto quota = take_number(line);
  const auto period = quota ? take_number(line) : std::nullopt;
  if (!period || *period == 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

std::optional<double> first_quota_of(const std::string& folder) {
  const auto quota = number_of_file(folder + "/cpu.cfs_quota_us");
  const auto period = number_of_file(folder + "/cpu.cfs_period_us");
  if (!quota || !period || *period == 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

}  // namespace

std::optional<CpuTime> parse_cpu_time(std::string_view text, const std::set<int>& only,
                                      double ticks_per_s) {
  constexpr int idle = 3, iowait = 4, steal = 7, last = 7;
  std::optional<CpuTime> sum;
  each_line(text, [&](std::string_view line) {
    if (!line.starts_with("cpu") || line.starts_with("cpu ")) return;
    line.remove_prefix(3);
    const auto processor = take_number(line);
    if (!processor || (!only.empty() && !only.contains(static_cast<int>(*processor)))) return;
    CpuTime one;
    for (int field = 0; field <= last; ++field) {
      const auto ticks = take_number(line);
      if (!ticks) return;
      const double time_s = static_cast<double>(*ticks) / ticks_per_s;
      one.all_s += time_s;
      if (field != idle && field != iowait && field != steal) one.busy_s += time_s;
    }
    if (!sum) sum = CpuTime{};
    sum->busy_s += one.busy_s;
    sum->all_s += one.all_s;
  });
  return sum;
}

std::optional<double> parse_pressure(std::string_view text) {
  std::optional<double> waited;
  each_line(text, [&](std::string_view line) {
    constexpr std::string_view mark = "total=";
    const auto at = line.find(mark);
    if (!line.starts_with("some") || at == std::string_view::npos) return;
    line.remove_prefix(at + mark.size());
    if (const auto us = take_number(line)) waited = static_cast<double>(*us) / 1e6;
  });
  return waited;
}

std::optional<std::int64_t> number_in(std::string_view text, std::string_view name) {
  std::optional<std::int64_t> number;
  each_line(text, [&](std::string_view line) {
    if (!line.starts_with(name) || number) return;
    line.remove_prefix(name.size());
    if (line.starts_with(':')) line.remove_prefix(1);
    if (line.starts_with(' ')) number = take_number(line);
  });
  return number;
}

MachineMeter::MachineMeter(std::string root) : root_(std::move(root)) {
  find_cores();
  find_memory();
}

void MachineMeter::find_cores() {
  processors_ = affinity();
  const auto count =
      processors_.empty() ? std::size_t{std::thread::hardware_concurrency()} : processors_.size();
  cores_ = static_cast<double>(std::max<std::size_t>(1, count));
  const auto consider = [this](std::optional<double> quota, const std::string& folder,
                               bool second) {
    if (!quota || *quota <= 0 || *quota >= cores_) return;
    cores_ = *quota;
    cpu_group_ = Group{folder, second};
  };
  for (const std::string& folder : groups_of(root_, "/sys/fs/cgroup", ""))
    consider(quota_of(folder), folder, true);
  for (const std::string& folder : groups_of(root_, "/sys/fs/cgroup/cpu", "cpu"))
    consider(first_quota_of(folder), folder, false);
}

void MachineMeter::find_memory() {
  const auto text = read_small_file(root_ + "/proc/meminfo");
  if (text) memory_ = number_in(*text, "MemTotal").value_or(0) * 1024;
  const auto consider = [this](const std::string& folder, const char* file, bool second) {
    const auto limit = number_of_file(folder + file);
    if (!limit || *limit <= 0 || (memory_ > 0 && *limit >= memory_)) return;
    memory_ = *limit;
    memory_group_ = Group{folder, second};
  };
  for (const std::string& folder : groups_of(root_, "/sys/fs/cgroup", ""))
    consider(folder, "/memory.max", true);
  for (const std::string& folder : groups_of(root_, "/sys/fs/cgroup/memory", "memory"))
    consider(folder, "/memory.limit_in_bytes", false);
}

std::optional<CpuTime> MachineMeter::cpu_time(Instant now) const {
  const double all_s = cores_ * static_cast<double>(now.us) / 1e6;
  if (cpu_group_ && cpu_group_->second) {
    const auto text = read_small_file(cpu_group_->folder + "/cpu.stat");
    const auto us = text ? number_in(*text, "usage_usec") : std::nullopt;
    return us ? std::optional(CpuTime{static_cast<double>(*us) / 1e6, all_s}) : std::nullopt;
  }
  if (cpu_group_) {
    std::string folder = cpu_group_->folder;
    folder.insert((root_ + "/sys/fs/cgroup/cpu").size(), "acct");
    const auto ns = number_of_file(folder + "/cpuacct.usage");
    return ns ? std::optional(CpuTime{static_cast<double>(*ns) / 1e9, all_s}) : std::nullopt;
  }
  static const auto ticks_per_s = static_cast<double>(::sysconf(_SC_CLK_TCK));
  const auto text = read_small_file(root_ + "/proc/stat");
  return text ? parse_cpu_time(*text, processors_, ticks_per_s) : std::nullopt;
}

std::optional<double> MachineMeter::pressure(const char* of,
                                             const std::optional<Group>& limited) const {
  const auto text = limited && limited->second
                        ? read_small_file(limited->folder + "/" + of + ".pressure")
                        : read_small_file(root_ + "/proc/pressure/" + of);
  return text ? parse_pressure(*text) : std::nullopt;
}

// Pages of files that the kernel gives back without loss are free.
std::optional<std::int64_t> MachineMeter::memory_used() const {
  if (memory_group_) {
    const std::string& folder = memory_group_->folder;
    const bool second = memory_group_->second;
    const auto used =
        number_of_file(folder + (second ? "/memory.current" : "/memory.usage_in_bytes"));
    const auto stat = read_small_file(folder + "/memory.stat");
    if (!used) return std::nullopt;
    const auto given_back =
        stat ? number_in(*stat, second ? "inactive_file" : "total_inactive_file").value_or(0) : 0;
    return std::max<std::int64_t>(0, *used - given_back);
  }
  const auto text = read_small_file(root_ + "/proc/meminfo");
  const auto free = text ? number_in(*text, "MemAvailable") : std::nullopt;
  if (!free) return std::nullopt;
  return std::max<std::int64_t>(0, memory_ - *free * 1024);
}

MachineMeter::Counters MachineMeter::count(Instant now) const {
  return {now, cpu_time(now), pressure("cpu", cpu_group_), pressure("memory", memory_group_),
          pressure("io", std::nullopt)};
}

MachineSample MachineMeter::read(Instant now) {
  const Counters counters = count(now);
  MachineSample sample;
  sample.memory = memory_used();
  if (last_ && counters.cpu && last_->cpu)
    sample.cpu = share_of(counters.cpu->busy_s - last_->cpu->busy_s,
                          counters.cpu->all_s - last_->cpu->all_s);
  const double passed_s = last_ ? static_cast<double>((now - last_->at).us) / 1e6 : 0;
  const auto waited = [&](const std::optional<double>& s,
                          const std::optional<double>& before) -> std::optional<double> {
    if (!s || !before || passed_s <= 0) return std::nullopt;
    return share_of(*s - *before, passed_s);
  };
  if (last_) {
    sample.cpu_pressure = waited(counters.cpu_s, last_->cpu_s);
    sample.memory_pressure = waited(counters.memory_s, last_->memory_s);
    sample.io_pressure = waited(counters.io_s, last_->io_s);
  }
  last_ = counters;
  return sample;
}

}  // namespace hone::worker
