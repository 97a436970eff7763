// Files: descriptors with one owner, pipes, whole and durable writes, locks between processes.
//
// Where the system reports an error, a function refuses with Code::unavailable and the system's
// reason as detail ("No space left on device"); the caller adds what it was about. Every descriptor
// that is opened here closes on exec. All functions may block and may be called from any thread.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.hpp"

namespace hone {

// A descriptor that is closed with its owner.
class FileHandle {
 public:
  FileHandle() = default;
  explicit FileHandle(int fd) : fd_(fd) {}
  FileHandle(FileHandle&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileHandle& operator=(FileHandle&& other) noexcept {
    if (this != &other) {
      close();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  ~FileHandle() { close(); }

  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }
  [[nodiscard]] int fd() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

struct Pipe {
  FileHandle read;
  FileHandle write;
};
Result<Pipe> make_pipe();

// Writes all bytes at the file's position. On failure any number of them may be written.
Status write_all(const FileHandle& file, std::string_view bytes);

// Everything up to the end, or up to the first error.
std::string read_to_end(const FileHandle& file);

struct ReplaceOptions {
  mode_t mode = 0644;
  bool exclusive = false;      // a leftover file of an earlier try is removed, never opened
  int (*sync)(int) = ::fsync;  // or ::fdatasync
};
// Replaces the content of the file, or creates it: writes `path`.new, syncs that and renames it, so
// that a reader and a crash find the old content or the new, never a part. The folder is not
// synced: after a power cut the old content may be back.
Status replace_file(const std::filesystem::path& path, std::string_view bytes,
                    const ReplaceOptions& options);

// Waits until the file, or the names in the folder, are on the disk.
Status sync_file(const std::filesystem::path& path);
Status sync_folder(const std::filesystem::path& path);

// Creates the folder and the missing ones above it; each is on the disk when this returns.
Status make_durable_folder(const std::filesystem::path& path);

// Whether the name leads to a file below the folder it is read in: relative, without empty parts,
// "." and "..", and without control characters.
bool is_inner_path(std::string_view name);

// Locks the file, which is created if it is missing, until the handle is closed or the process
// ends. Refuses with conflict if another process holds the lock; the detail is then "process 4711"
// if the holder called record_pid, else "an unknown process". Never remove the file: two processes
// could then hold locks on two files of the same name.
Result<FileHandle> lock_file(const std::filesystem::path& path);
Status record_pid(const FileHandle& lock);

}  // namespace hone
