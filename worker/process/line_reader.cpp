#include "worker/process/line_reader.hpp"

#include <utility>

#include "worker/agent/limits.hpp"

namespace hone::worker {
void LineReader::take(std::string_view bytes, const OnLine& on_line) {
  while (!bytes.empty()) {
    if (std::exchange(returned_, false) && bytes.front() == '\n') bytes.remove_prefix(1);
    const auto end = bytes.find_first_of("\r\n");
    if (!skipping_) pending_.append(bytes.substr(0, end));
    if (!skipping_ && pending_.size() > limits::line_bytes_max) {
      skipping_ = true;
      pending_.resize(limits::line_bytes_max);
      on_line(pending_, true);
      pending_.clear();
      pending_.shrink_to_fit();
    }
    if (end == std::string_view::npos) return;
    returned_ = bytes[end] == '\r';
    if (!skipping_) on_line(pending_, false);
    pending_.clear();
    skipping_ = false;
    bytes.remove_prefix(end + 1);
  }
}

void LineReader::finish(const OnLine& on_line) {
  if (!pending_.empty()) on_line(pending_, false);
  pending_.clear();
}

}  // namespace hone::worker
