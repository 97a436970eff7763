#include "worker/process/followed_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace hone::worker {

FollowedFile::Piece FollowedFile::read() {
  Piece piece;
  if (!file_ && !open()) return piece;
  struct stat info {};
  if (::fstat(file_.fd(), &info) != 0) return piece;
  if (info.st_size < at_) at_ = 0;
  auto got = ::pread(file_.fd(), piece_.data(), piece_.size(), at_);
  if (got <= 0 && was_replaced()) {
    at_ = 0;
    file_.close();
    if (!open()) return piece;
    got = ::pread(file_.fd(), piece_.data(), piece_.size(), at_);
  }
  if (got <= 0) return piece;
  piece.bytes = {piece_.data(), static_cast<std::size_t>(got)};
  piece.restarted = at_ == 0 && read_some_;
  read_some_ = true;
  at_ += got;
  return piece;
}

std::int64_t FollowedFile::left() {
  struct stat info {};
  if (::stat(path_.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return 0;
  const bool restarts = !file_ || was_replaced() || info.st_size < at_;
  return restarts ? info.st_size : info.st_size - at_;
}

// Opens regular files only: reading a pipe would block.
bool FollowedFile::open() {
  FileHandle file(::open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat info {};
  if (!file || ::fstat(file.fd(), &info) != 0 || !S_ISREG(info.st_mode)) return false;
  file_ = std::move(file);
  return true;
}

bool FollowedFile::was_replaced() const {
  struct stat mine {};
  struct stat there {};
  return ::stat(path_.c_str(), &there) == 0 && ::fstat(file_.fd(), &mine) == 0 &&
         (there.st_ino != mine.st_ino || there.st_dev != mine.st_dev);
}

}  // namespace hone::worker
