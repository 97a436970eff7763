#include "worker/process/log_file.hpp"

#include <fcntl.h>

#include <algorithm>

namespace hone::worker {

LogFile::LogFile(const std::string& path, std::int64_t bytes_max)
    : file_(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600)),
      left_(bytes_max) {}

void LogFile::take(std::string_view bytes) {
  tail_.append(bytes);
  // Trimmed only when it has doubled.
  if (tail_.size() > 2 * limits::tail_bytes_max) {
    tail_.erase(0, tail_.size() - limits::tail_bytes_max);
    cut_ = true;
  }
  if (left_ <= 0) return;
  const auto fitting = std::min(static_cast<std::int64_t>(bytes.size()), left_);
  write(bytes.substr(0, static_cast<std::size_t>(fitting)));
  left_ -= fitting;
  if (left_ == 0) write("\n[hone: the log ends here; it has reached its size limit]\n");
}

std::string LogFile::tail() const {
  if (!cut_ && tail_.size() <= limits::tail_bytes_max) return tail_;
  const auto tail =
      std::string_view(tail_).substr(tail_.size() - std::min(tail_.size(), limits::tail_bytes_max));
  const auto line = tail.find('\n');
  return std::string(line == std::string_view::npos ? tail : tail.substr(line + 1));
}

void LogFile::write(std::string_view bytes) {
  // On a full disk the tail remains.
  if (file_ && !write_all(file_, bytes)) file_.close();
}

}  // namespace hone::worker
