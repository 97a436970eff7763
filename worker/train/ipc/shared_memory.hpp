// Memory that a training shares with the processes that play for it. It has no name and no file:
// the system frees it when the last of them ends, however it ends.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/files.hpp"
#include "base/result.hpp"

namespace hone::ipc {

class SharedMemory {
 public:
  // Refuses with internal and the system's reason.
  static Result<SharedMemory> make(std::size_t bytes);
  // Maps what make() of another process made.
  static Result<SharedMemory> open(FileHandle file);
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&&) = delete;
  ~SharedMemory();

  [[nodiscard]] std::span<std::byte> bytes() const { return bytes_; }
  [[nodiscard]] int descriptor() const { return file_.fd(); }

 private:
  SharedMemory(FileHandle file, std::span<std::byte> bytes)
      : file_(std::move(file)), bytes_(bytes) {}

  FileHandle file_;
  std::span<std::byte> bytes_;
};

// Places arrays one after another, each from a cache line on.
class MemoryPlan {
 public:
  // Returns where an array of so many bytes begins.
  std::size_t place(std::size_t bytes) {
    const auto start = bytes_;
    bytes_ += (bytes + line - 1) / line * line;
    return start;
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  static constexpr std::size_t line = 64;
  std::size_t bytes_ = 0;
};

// Parameters, written by one process and read by others. A reader holds no
// lock, so one that is killed blocks no other process. It copies, and copies again if the writer
// began to overwrite the source meanwhile.
class SharedParameters {
 public:
  static std::size_t bytes(std::size_t floats);
  // memory: bytes() of them, zeros before the first publish().
  SharedParameters(std::span<std::byte> memory, std::size_t floats)
      : memory_(memory), copy_bytes_(bytes_of_copy(floats)) {}

  void publish(std::span<const float> parameters);
  // As the publication of this number. Precondition: it is larger than that of the last one.
  void publish_as(std::uint64_t number, std::span<const float> parameters);
  // How often publish() has been called.
  [[nodiscard]] std::uint64_t publications() const;
  // Returns how often publish() had been called by then. Precondition: it was.
  std::uint64_t read(std::span<float> parameters) const;

 private:
  struct Copies {
    std::atomic<std::uint64_t> begun;  // publications
    std::atomic<std::uint64_t> ended;
  };
  static constexpr std::size_t copies = 3;
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

  static std::size_t bytes_of_copy(std::size_t floats);
  [[nodiscard]] std::byte* copy(std::uint64_t publication) const {
    return memory_.data() + header + publication % copies * copy_bytes_;
  }

  static constexpr std::size_t header = 64;
  std::span<std::byte> memory_;
  std::size_t copy_bytes_;
};

}  // namespace hone::ipc
