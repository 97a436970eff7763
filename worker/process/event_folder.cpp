#include "worker/process/event_folder.hpp"

#include <filesystem>
#include <utility>

#include "worker/agent/limits.hpp"

namespace hone::worker {
namespace {

namespace fs = std::filesystem;

bool is_event_file(const fs::directory_entry& entry) {
  std::error_code unreadable;
  return entry.symlink_status(unreadable).type() == fs::file_type::regular &&
         entry.path().filename().string().find("tfevents") != std::string::npos;
}

}  // namespace

void EventFolder::scan() {
  const auto add = [this](const std::string& file) {
    if (sources_.size() < limits::event_files_max && !sources_.contains(file))
      sources_.emplace(file, std::make_unique<Source>(file));
  };
  std::error_code failure;
  if (fs::is_regular_file(path_, failure)) return add(path_);
  std::size_t entries = 0;
  for (fs::recursive_directory_iterator at(path_, failure), end; !failure && at != end;
       at.increment(failure)) {
    if (++entries > limits::event_entries_max) return;
    if (at.depth() >= limits::event_depth_max) at.disable_recursion_pending();
    if (is_event_file(*at)) add(at->path().string());
  }
}

std::int64_t EventFolder::read(const EventReader::Take& take) {
  for (auto& [name, source] : sources_) {
    const auto piece = source->file.read();
    if (piece.bytes.empty()) continue;
    if (piece.restarted) source->reader.restart();
    source->reader.read(piece.bytes, take);
    if (auto fault = source->reader.take_fault())
      fault_ = fs::path(name).filename().string() + ": " + *fault;
    return static_cast<std::int64_t>(piece.bytes.size());
  }
  return 0;
}

std::int64_t EventFolder::left() {
  std::int64_t bytes = 0;
  for (auto& [name, source] : sources_) bytes += source->file.left();
  return bytes;
}

std::optional<std::string> EventFolder::take_fault() { return std::exchange(fault_, std::nullopt); }

}  // namespace hone::worker
