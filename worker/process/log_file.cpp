#include "worker/process/log_file.hpp"

#include <fcntl.h>

#include <algorithm>

namespace hone::worker {

LogFile::LogFile(const std::string& path, std::int64_t bytes_max)
    : file_(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600)),
      left_(bytes_max) {}

void LogFile::take(std::string_view bytes) {
  end_.append(bytes);
  // Trimmed only when it has doubled.
  if (end_.size() > 2 * limits::log_piece_bytes_max) {
    const std::size_t beyond = end_.size() - limits::log_piece_bytes_max;
    end_.erase(0, beyond);
    begins_ += static_cast<std::int64_t>(beyond);
  }
  if (left_ <= 0) return;
  const auto fitting = std::min(static_cast<std::int64_t>(bytes.size()), left_);
  write(bytes.substr(0, static_cast<std::size_t>(fitting)));
  left_ -= fitting;
  if (left_ == 0) write("\n[hone: the log ends here; it has reached its size limit]\n");
}

std::string LogFile::tail() const {
  if (begins_ == 0 && end_.size() <= limits::tail_bytes_max) return end_;
  const auto tail =
      std::string_view(end_).substr(end_.size() - std::min(end_.size(), limits::tail_bytes_max));
  const auto line = tail.find('\n');
  return std::string(line == std::string_view::npos ? tail : tail.substr(line + 1));
}

LogFile::Piece LogFile::since(std::int64_t offset) const {
  const auto end = begins_ + static_cast<std::int64_t>(end_.size());
  const auto most = static_cast<std::int64_t>(limits::log_piece_bytes_max);
  const auto from = std::clamp(offset, std::max(begins_, end - most), end);
  return {from, end_.substr(static_cast<std::size_t>(from - begins_))};
}

void LogFile::write(std::string_view bytes) {
  // On a full disk the tail remains.
  if (file_ && !write_all(file_, bytes)) file_.close();
}

}  // namespace hone::worker
