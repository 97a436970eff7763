#include "base/files.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace hone {
namespace {

namespace fs = std::filesystem;

Error system_error() { return refuse(Code::unavailable, std::strerror(errno)); }

Status done_if(bool succeeded) { return succeeded ? Status(Done{}) : system_error(); }

Status write_synced(const fs::path& path, std::string_view bytes, const ReplaceOptions& options) {
  if (options.exclusive) ::unlink(path.c_str());
  const int fresh = options.exclusive ? O_EXCL : O_TRUNC;
  FileHandle file(::open(path.c_str(), O_WRONLY | O_CREAT | fresh | O_CLOEXEC, options.mode));
  if (!file) return system_error();
  if (auto written = write_all(file, bytes); !written) return written;
  return done_if(options.sync(file.fd()) == 0);
}

Status sync_opened(const fs::path& path, int flags) {
  const FileHandle file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | flags));
  return done_if(file && ::fsync(file.fd()) == 0);
}

std::string holder_of(const FileHandle& lock) {
  std::array<char, 32> words{};
  const auto got = ::pread(lock.fd(), words.data(), words.size(), 0);
  std::string pid(words.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
  while (pid.ends_with('\n')) pid.pop_back();
  return pid.empty() ? "an unknown process" : "process " + pid;
}

}  // namespace

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return system_error();
  return Pipe{FileHandle(ends[0]), FileHandle(ends[1])};
}

Status write_all(const FileHandle& file, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto written = ::write(file.fd(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return system_error();
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return Done{};
}

std::string read_to_end(const FileHandle& file) {
  std::string all;
  std::array<char, 65536> piece;
  for (;;) {
    const auto got = ::read(file.fd(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return all;
    all.append(piece.data(), static_cast<std::size_t>(got));
  }
}

Status replace_file(const fs::path& path, std::string_view bytes, const ReplaceOptions& options) {
  auto fresh = path;
  fresh += ".new";
  auto written = write_synced(fresh, bytes, options);
  if (written) written = done_if(std::rename(fresh.c_str(), path.c_str()) == 0);
  if (!written) ::unlink(fresh.c_str());
  return written;
}

Status sync_file(const fs::path& path) { return sync_opened(path, 0); }

Status sync_folder(const fs::path& path) { return sync_opened(path, O_DIRECTORY); }

Status make_durable_folder(const fs::path& path) {
  std::error_code trouble;
  if (fs::is_directory(path, trouble)) return Done{};
  const auto parent = path.parent_path();
  if (!parent.empty())
    if (auto made = make_durable_folder(parent); !made) return made;
  if (::mkdir(path.c_str(), 0700) != 0) {
    const int why = errno;
    if (why != EEXIST || !fs::is_directory(path, trouble))
      return refuse(Code::unavailable, std::strerror(why));
  }
  return sync_folder(parent.empty() ? "." : parent);
}

Result<FileHandle> lock_file(const fs::path& path) {
  FileHandle lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!lock) return system_error();
  if (::flock(lock.fd(), LOCK_EX | LOCK_NB) == 0) return lock;
  if (errno != EWOULDBLOCK) return system_error();
  return refuse(Code::conflict, holder_of(lock));
}

Status record_pid(const FileHandle& lock) {
  const auto pid = std::to_string(::getpid()) + "\n";
  return done_if(::ftruncate(lock.fd(), 0) == 0 && ::pwrite(lock.fd(), pid.data(), pid.size(), 0) ==
                                                       static_cast<ssize_t>(pid.size()));
}

bool is_inner_path(std::string_view name) {
  for (const char c : name)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return false;
  for (std::size_t at = 0; at <= name.size();) {
    const std::size_t end = std::min(name.find('/', at), name.size());
    const std::string_view part = name.substr(at, end - at);
    if (part.empty() || part == "." || part == "..") return false;
    at = end + 1;
  }
  return true;
}

}  // namespace hone
