#include "worker/process/proc_use.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <string>

#include "base/files.hpp"
#include "worker/agent/limits.hpp"

namespace hone::worker {
namespace {

namespace fs = std::filesystem;

// The fields after the name, counted from 0: the third of stat is the first of them.
constexpr int utime_field = 11, cstime_field = 14, rss_field = 21;

// The number of a line such as "Pss:     1234 kB", in bytes.
std::optional<std::int64_t> kib_of(std::string_view line) {
  const auto begin = line.find_first_of("0123456789");
  if (begin == std::string_view::npos || !line.ends_with("kB")) return std::nullopt;
  std::int64_t kib = 0;
  const auto [stop, fault] = std::from_chars(line.data() + begin, line.data() + line.size(), kib);
  constexpr std::int64_t most = std::int64_t{1} << 50;
  if (fault != std::errc{} || kib < 0 || kib > most) return std::nullopt;
  return kib * 1024;
}

// The kernel lists the children of each thread separately. Returns whether it listed any thread's.
bool add_children(const std::string& process, std::vector<pid_t>& pids) {
  std::error_code ended;
  bool listed = false;
  int threads = 0;
  for (fs::directory_iterator task(process + "/task", ended), last;
       !ended && task != last && threads < limits::proc_threads_max; task.increment(ended)) {
    ++threads;
    const auto text = read_small_file(task->path().string() + "/children");
    if (!text) continue;
    listed = true;
    for (const pid_t child : parse_proc_children(*text))
      if (pids.size() < limits::proc_processes_max) pids.push_back(child);
  }
  return listed;
}

}  // namespace

std::optional<std::string> read_small_file(const std::string& path) {
  const FileHandle file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return std::nullopt;
  std::string text;
  std::array<char, 4096> piece;
  while (text.size() < limits::proc_bytes_max) {
    const auto got = ::read(file.fd(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) break;
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
  return text;
}

std::optional<ProcStat> parse_proc_stat(std::string_view text) {
  const auto name_end = text.rfind(')');
  if (name_end == std::string_view::npos) return std::nullopt;
  std::string_view rest = text.substr(name_end + 1);
  ProcStat stat;
  for (int field = 0; field <= rss_field; ++field) {
    const auto begin = rest.find_first_not_of(' ');
    if (begin == std::string_view::npos) return std::nullopt;
    rest.remove_prefix(begin);
    const auto end = std::min(rest.find_first_of(" \n"), rest.size());
    if (field >= utime_field && (field <= cstime_field || field == rss_field)) {
      std::int64_t number = 0;
      const auto [stop, fault] = std::from_chars(rest.data(), rest.data() + end, number);
      if (fault != std::errc{} || stop != rest.data() + end || number < 0) return std::nullopt;
      (field == rss_field ? stat.resident_pages : stat.ticks) += number;
    }
    rest.remove_prefix(end);
  }
  return stat;
}

std::vector<pid_t> parse_proc_children(std::string_view text) {
  std::vector<pid_t> pids;
  for (;;) {
    const auto begin = text.find_first_not_of(" \n");
    if (begin == std::string_view::npos) return pids;
    text.remove_prefix(begin);
    pid_t pid = 0;
    const auto [stop, fault] = std::from_chars(text.data(), text.data() + text.size(), pid);
    if (fault != std::errc{} || pid <= 0) return pids;
    pids.push_back(pid);
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  }
}

std::optional<TreeUse> read_tree_use(pid_t root) {
  static const auto ticks_per_s = static_cast<double>(::sysconf(_SC_CLK_TCK));
  static const std::int64_t page_bytes = ::sysconf(_SC_PAGESIZE);
  std::vector<pid_t> pids{root};
  TreeUse use;
  for (std::size_t i = 0; i < pids.size(); ++i) {
    const std::string process = "/proc/" + std::to_string(pids[i]);
    const auto text = read_small_file(process + "/stat");
    const auto stat = text ? parse_proc_stat(*text) : std::nullopt;
    if (!stat && i == 0) return std::nullopt;
    if (!stat) continue;  // it has ended since its parent was read
    use.cpu_s += static_cast<double>(stat->ticks) / ticks_per_s;
    use.memory_bytes += stat->resident_pages * page_bytes;
    // A kernel without these lists would show the keeper of the run alone.
    if (!add_children(process, pids) && i == 0) return std::nullopt;
  }
  return use;
}

std::optional<std::int64_t> parse_smaps_rollup(std::string_view text) {
  std::optional<std::int64_t> pss;
  std::int64_t swapped = 0;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with("Pss:")) pss = kib_of(line);
    if (line.starts_with("SwapPss:")) swapped = kib_of(line).value_or(0);
  }
  return pss ? std::optional(*pss + swapped) : std::nullopt;
}

std::optional<std::int64_t> read_tree_memory(pid_t root) {
  std::vector<pid_t> pids{root};
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < pids.size(); ++i) {
    const std::string process = "/proc/" + std::to_string(pids[i]);
    const auto text = read_small_file(process + "/smaps_rollup");
    if (!text && i == 0) return std::nullopt;
    if (text) bytes += parse_smaps_rollup(*text).value_or(0);
    if (!add_children(process, pids) && i == 0) return std::nullopt;
  }
  return bytes;
}

}  // namespace hone::worker
