#include "worker/process/line_reader.hpp"

#include "worker/agent/limits.hpp"

namespace hone::worker {
namespace {

std::string_view without_return(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

void LineReader::take(std::string_view bytes, const OnLine& on_line) {
  while (!bytes.empty()) {
    const auto end = bytes.find('\n');
    if (!skipping_) pending_.append(bytes.substr(0, end));
    if (!skipping_ && pending_.size() > limits::line_bytes_max) {
      skipping_ = true;
      pending_.resize(limits::line_bytes_max);
      on_line(pending_, true);
      pending_.clear();
      pending_.shrink_to_fit();
    }
    if (end == std::string_view::npos) return;
    if (!skipping_) on_line(without_return(pending_), false);
    pending_.clear();
    skipping_ = false;
    bytes.remove_prefix(end + 1);
  }
}

void LineReader::finish(const OnLine& on_line) {
  if (!pending_.empty()) on_line(without_return(pending_), false);
  pending_.clear();
}

}  // namespace hone::worker
