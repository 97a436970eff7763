// The event files that a program writes for TensorBoard into one folder, or below it, read as they
// grow. Files may appear later.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/event_file.hpp"
#include "worker/process/followed_file.hpp"

namespace hone::worker {

class EventFolder {
 public:
  // `path` may also be a single event file.
  explicit EventFolder(std::string path) : path_(std::move(path)) {}

  // Looks for new files. Ignores links, and files beyond the first 64 names.
  void scan();
  // Reads at most 64 KiB of the first file that has grown. Returns how many bytes it read.
  std::int64_t read(const EventReader::Take& take);
  // The bytes that were not read yet, of every file.
  [[nodiscard]] std::int64_t left();
  // Whether there was an event file.
  [[nodiscard]] bool was_there() const { return !sources_.empty(); }
  // What is wrong with a file, for the log.
  std::optional<std::string> take_fault();

 private:
  struct Source {
    explicit Source(std::string path) : file(std::move(path)) {}
    FollowedFile file;
    EventReader reader{};
  };

  std::string path_;
  std::map<std::string, std::unique_ptr<Source>> sources_;  // names hold the time of creation
  std::optional<std::string> fault_;
};

}  // namespace hone::worker
