// A disk in memory under the real SQLite: an sqlite3_vfs that distinguishes written from synced
// data and fails on demand. While a Disk exists, it is SQLite's default VFS, so that the code under
// test opens its files as always. Only one may exist at a time. Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/rng.hpp"

struct sqlite3_vfs;

namespace hone::faultfs {

enum class Fault {
  none,
  kill,         // the process ends: what it wrote is in the page cache and stays
  power_cut,    // synced data stays; of the rest, any part may be on the disk
  write_error,  // one write fails half way
  disk_full,    // every write that makes a file longer fails, until free_space()
  sync_error,   // one sync fails; its data can still be read, and is lost later
};
const char* word(Fault fault);

// One write or truncation that was not synced yet.
struct Change {
  std::int64_t offset = 0;
  std::string bytes;       // of a write
  bool truncates = false;  // to `offset` bytes
  bool doomed = false;     // a failed sync dropped it: it never reaches the disk
};

struct File {
  std::string bytes;    // as programs read it
  std::string on_disk;  // as synced
  std::vector<Change> changes;
};

struct Shared;  // the -shm of a database

class Disk {
 public:
  explicit Disk(std::uint64_t seed);
  ~Disk();
  Disk(const Disk&) = delete;
  Disk& operator=(const Disk&) = delete;

  // The number of writes, truncations, syncs and deletions so far.
  [[nodiscard]] std::int64_t operations() const { return operations_; }
  // Injects the fault into the operation of this number.
  void fail_at(std::int64_t operation, Fault fault);
  // Calls `chance` before every operation and injects the fault that it returns.
  void ask_before(std::function<Fault()> chance) { chance_ = std::move(chance); }
  void free_space() { full_ = false; }
  // Ends the process now, between two operations.
  void stop(Fault fault);
  // After kill and power_cut every call fails and has no effect until restart().
  [[nodiscard]] bool down() const { return down_; }
  // Precondition: every connection is closed.
  void restart();

  [[nodiscard]] bool has(const std::string& name) const { return names_.contains(name); }
  // Overwrites part of a file, synced: damage from outside.
  void damage(const std::string& name, std::size_t offset, const std::string& bytes);
  void cut_short(const std::string& name, std::size_t size);
  [[nodiscard]] std::size_t size(const std::string& name) const;

 private:
  friend struct Calls;
  Fault next_fault();
  void lose_power();
  void settle(File& file, int style);
  void sync_names() { names_on_disk_ = names_; }

  Rng rng_;
  std::unique_ptr<sqlite3_vfs> vfs_;
  sqlite3_vfs* host_ = nullptr;  // the default VFS before, for the time
  std::map<std::string, std::shared_ptr<File>> names_;
  std::map<std::string, std::shared_ptr<File>> names_on_disk_;
  std::map<std::string, std::shared_ptr<Shared>> shared_;
  std::int64_t operations_ = 0;
  std::int64_t fail_at_ = -1;
  Fault fault_ = Fault::none;
  std::function<Fault()> chance_;
  bool full_ = false;
  bool down_ = false;
};

}  // namespace hone::faultfs
