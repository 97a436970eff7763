#include "tests/faultfs/disk.hpp"

#include <algorithm>

#include "base/expect.hpp"
#include "tests/faultfs/calls.hpp"

namespace hone::faultfs {
namespace {

constexpr std::int64_t sector = 512;

void put(std::string& bytes, std::int64_t offset, std::string_view what) {
  const auto at = static_cast<std::size_t>(offset);
  if (bytes.size() < at + what.size()) bytes.resize(at + what.size());
  std::copy(what.begin(), what.end(), bytes.begin() + offset);
}

}  // namespace

const char* word(Fault fault) {
  switch (fault) {
    case Fault::none:
      return "none";
    case Fault::kill:
      return "kill";
    case Fault::power_cut:
      return "power_cut";
    case Fault::write_error:
      return "write_error";
    case Fault::disk_full:
      return "disk_full";
    case Fault::sync_error:
      return "sync_error";
  }
  unreachable();
}

void apply(std::string& bytes, const Change& change) {
  if (change.truncates)
    bytes.resize(static_cast<std::size_t>(change.offset));
  else
    put(bytes, change.offset, change.bytes);
}

Disk::Disk(std::uint64_t seed) : rng_(seed, Purpose::simulation, 77) {
  host_ = sqlite3_vfs_find(nullptr);
  vfs_ = make_vfs(*this, host_);
  expect(sqlite3_vfs_register(vfs_.get(), 1) == SQLITE_OK, "a VFS can be registered");
}

Disk::~Disk() {
  sqlite3_vfs_unregister(vfs_.get());
  sqlite3_vfs_register(host_, 1);
}

void Disk::fail_at(std::int64_t operation, Fault fault) {
  fail_at_ = operation;
  fault_ = fault;
}

Fault Disk::next_fault() {
  const std::int64_t now = operations_++;
  const Fault fault = now == fail_at_ ? fault_ : chance_ ? chance_() : Fault::none;
  if (fault == Fault::disk_full) full_ = true;
  if (fault == Fault::kill || fault == Fault::power_cut) stop(fault);
  return fault;
}

void Disk::stop(Fault fault) {
  down_ = true;
  if (fault == Fault::power_cut) lose_power();
}

// The state of a disk after a power cut: none of the changes that were not synced, all of them, or
// a random choice of writes or sectors in any order, the last perhaps torn.
void Disk::lose_power() {
  const auto style = static_cast<int>(rng_.below(4));
  if (style == 1) names_on_disk_ = names_;
  if (style >= 2)
    for (const auto& [name, file] : names_)
      if (rng_.below(2) == 0) names_on_disk_[name] = file;
  names_ = names_on_disk_;
  for (const auto& [name, file] : names_) settle(*file, style);
}

void Disk::settle(File& file, int style) {
  for (const Change& change : file.changes) {
    if (change.doomed || style == 0) continue;
    if (style == 1 || change.truncates) {
      if (style == 1 || rng_.below(2) == 0) apply(file.on_disk, change);
      continue;
    }
    if (style == 2 && rng_.below(2) == 0) continue;
    for (std::int64_t at = 0; at < static_cast<std::int64_t>(change.bytes.size()); at += sector) {
      std::string part = change.bytes.substr(static_cast<std::size_t>(at), sector);
      if (style == 3 && rng_.below(2) == 0) continue;
      if (style == 3 && rng_.below(8) == 0) part.resize(rng_.below(part.size()) + 1);
      put(file.on_disk, change.offset + at, part);
    }
  }
  file.changes.clear();
  file.bytes = file.on_disk;
}

void Disk::restart() {
  down_ = false;
  shared_.clear();
}

void Disk::damage(const std::string& name, std::size_t offset, const std::string& bytes) {
  File& file = *names_.at(name);
  put(file.bytes, static_cast<std::int64_t>(offset), bytes);
  file.on_disk = file.bytes;
}

void Disk::cut_short(const std::string& name, std::size_t size) {
  File& file = *names_.at(name);
  file.bytes.resize(size);
  file.on_disk = file.bytes;
}

std::size_t Disk::size(const std::string& name) const { return names_.at(name)->bytes.size(); }

}  // namespace hone::faultfs
