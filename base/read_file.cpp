#include "base/read_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "base/files.hpp"

namespace hone {
namespace {

bool is_own_descriptor(std::string_view path) {
  return path == "/dev/stdin" || path.starts_with("/dev/fd/") || path.starts_with("/proc/self/fd/");
}

Error cannot_open(const std::string& path, int reason) {
  if (reason == ENOENT) return refuse(Code::not_found, "no such file: " + path);
  return refuse(reason == EACCES || reason == EPERM ? Code::forbidden : Code::invalid,
                path + " cannot be opened: " + std::strerror(reason));
}

Error too_large(const std::string& path, std::size_t bytes_max) {
  const bool small = bytes_max < 1024 * 1024;
  return refuse(Code::too_large, path + " is larger than " +
                                     (small ? std::to_string(bytes_max / 1024) + " KiB"
                                            : std::to_string(bytes_max / 1024 / 1024) + " MiB") +
                                     ", the most that is read of such a file");
}

Result<std::string> read_all(int fd, const std::string& path, std::size_t bytes_max) {
  std::string text;
  std::array<char, 65536> piece;
  for (;;) {
    const auto got = ::read(fd, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return refuse(Code::invalid, path + " cannot be read: " + std::strerror(errno));
    if (got == 0) return text;
    text.append(piece.data(), static_cast<std::size_t>(got));
    if (text.size() > bytes_max) return too_large(path, bytes_max);
  }
}

}  // namespace

Result<std::string> read_stdin_within(std::size_t bytes_max) {
  return read_all(STDIN_FILENO, "stdin", bytes_max);
}

Result<std::string> read_file_within(const std::filesystem::path& file, std::size_t bytes_max) {
  const std::string path = file.string();
  // Without O_NONBLOCK the open of a pipe waits for its writer.
  const FileHandle opened(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!opened) return cannot_open(path, errno);
  struct stat info {};
  if (::fstat(opened.fd(), &info) != 0) return cannot_open(path, errno);
  if (S_ISDIR(info.st_mode)) return refuse(Code::invalid, path + " is a folder, not a file");
  if (!S_ISREG(info.st_mode) && !is_own_descriptor(path))
    return refuse(Code::invalid, path + " is a device or a pipe, not a file");
  ::fcntl(opened.fd(), F_SETFL, 0);
  return read_all(opened.fd(), path, bytes_max);
}

}  // namespace hone
