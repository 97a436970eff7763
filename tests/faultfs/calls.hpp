// The functions of the VFS and of its files, as SQLite calls them. Internal to tests/faultfs.
#pragma once

#include <sqlite3.h>

#include <array>

#include "tests/faultfs/disk.hpp"

namespace hone::faultfs {

std::unique_ptr<sqlite3_vfs> make_vfs(Disk& disk, const sqlite3_vfs* host);
void apply(std::string& bytes, const Change& change);

struct Shared {
  std::vector<std::unique_ptr<std::array<char, 32768>>> regions;
  std::array<int, SQLITE_SHM_NLOCK> readers{};
  std::array<bool, SQLITE_SHM_NLOCK> writer{};
};

}  // namespace hone::faultfs
