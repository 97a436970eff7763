#include "worker/train/ipc/shared_memory.hpp"

#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <string>
#include <utility>

namespace hone::ipc {
namespace {

Error no_memory() {
  return refuse(Code::internal, std::string("cannot share memory: ") + std::strerror(errno));
}

}  // namespace

Result<SharedMemory> SharedMemory::make(std::size_t bytes) {
  FileHandle file(::memfd_create("hone-train", MFD_CLOEXEC));
  if (!file || ::ftruncate(file.fd(), static_cast<off_t>(bytes)) != 0) return no_memory();
  return open(std::move(file));
}

Result<SharedMemory> SharedMemory::open(FileHandle file) {
  struct stat about {};
  if (::fstat(file.fd(), &about) != 0) return no_memory();
  const auto size = static_cast<std::size_t>(about.st_size);
  void* start = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.fd(), 0);
  if (start == MAP_FAILED) return no_memory();
  return SharedMemory(std::move(file), {static_cast<std::byte*>(start), size});
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : file_(std::move(other.file_)), bytes_(std::exchange(other.bytes_, {})) {}

SharedMemory::~SharedMemory() {
  if (!bytes_.empty()) ::munmap(bytes_.data(), bytes_.size());
}

std::size_t SharedParameters::bytes_of_copy(std::size_t floats) {
  MemoryPlan plan;
  plan.place(floats * sizeof(float));
  return plan.bytes();
}

std::size_t SharedParameters::bytes(std::size_t floats) {
  return header + copies * bytes_of_copy(floats);
}

// Publication n is in copy n % copies: it is overwritten when publication n + copies begins.
void SharedParameters::publish(std::span<const float> parameters) {
  publish_as(publications() + 1, parameters);
}

void SharedParameters::publish_as(std::uint64_t number, std::span<const float> parameters) {
  auto& state = *reinterpret_cast<Copies*>(memory_.data());
  state.begun.store(number, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  std::memcpy(copy(number), parameters.data(), parameters.size_bytes());
  state.ended.store(number, std::memory_order_release);
}

std::uint64_t SharedParameters::publications() const {
  return reinterpret_cast<const Copies*>(memory_.data())->ended.load(std::memory_order_acquire);
}

std::uint64_t SharedParameters::read(std::span<float> parameters) const {
  const auto& state = *reinterpret_cast<const Copies*>(memory_.data());
  for (;;) {
    const auto last = state.ended.load(std::memory_order_acquire);
    std::memcpy(parameters.data(), copy(last), parameters.size_bytes());
    std::atomic_thread_fence(std::memory_order_acquire);
    if (state.begun.load(std::memory_order_relaxed) < last + copies) return last;
  }
}

}  // namespace hone::ipc
