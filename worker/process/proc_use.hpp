// What a process and all its descendants use, as the kernel counts it in /proc (proc(5)).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hone::worker {

// The text of a file of the kernel, at most limits::proc_bytes_max of it; nullopt without it.
std::optional<std::string> read_small_file(const std::string& path);

// One process, in the units of /proc.
struct ProcStat {
  // Its own processor time and that of its ended children that were waited for, of theirs, ...
  std::int64_t ticks = 0;
  std::int64_t resident_pages = 0;
};

// Parses /proc/PID/stat; nullopt if it is not of that form. The name of a program may hold any
// character, blanks and parentheses too.
std::optional<ProcStat> parse_proc_stat(std::string_view text);

// Parses /proc/PID/task/TID/children, "12 345 6 ". What is no number ends the list.
std::vector<pid_t> parse_proc_children(std::string_view text);

struct TreeUse {
  // Of every process of the tree that ever ran, unless its parent ignores SIGCHLD.
  double cpu_s = 0;
  // The sum of the resident sets: pages that processes share count in each of them.
  std::int64_t memory_bytes = 0;
};

// Reads the process and its descendants; nullopt if it has ended, or if the kernel lists no
// children. A tree of more than 1,000 processes is counted by the first 1,000, and the children of
// a process by its first 256 threads.
std::optional<TreeUse> read_tree_use(pid_t root);

// Returns the memory of the same processes with each shared page counted in parts, and what they
// have in swap; nullopt where the kernel does not show it (smaps_rollup). Slower than
// read_tree_use: the kernel walks every mapping.
std::optional<std::int64_t> read_tree_memory(pid_t root);

// Parses /proc/PID/smaps_rollup: the bytes of the lines Pss and SwapPss. nullopt without Pss.
std::optional<std::int64_t> parse_smaps_rollup(std::string_view text);

}  // namespace hone::worker
