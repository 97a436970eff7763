#include "bench/load/tally.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

namespace hone::load {

void Tally::fail(std::string_view why) {
  if (errors.fetch_add(1) > 0) return;
  const auto length = std::min(why.size(), first_error.size() - 1);
  std::memcpy(first_error.data(), why.data(), length);
}

Result<SharedTallies> SharedTallies::make(std::size_t count) {
  const std::size_t bytes = count * sizeof(Tally);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return refuse(Code::internal, std::string("cannot share memory: ") + std::strerror(errno));
  auto* tallies = static_cast<Tally*>(memory);
  for (std::size_t i = 0; i < count; ++i) new (tallies + i) Tally;
  return SharedTallies(tallies, count, bytes);
}

void SharedTallies::Unmap::operator()(Tally* tallies) const { munmap(tallies, bytes); }

std::uint64_t SharedTallies::sum(Counter counter) const {
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < count_; ++i) all += ((*this)[i].*counter).load();
  return all;
}

Histogram SharedTallies::times(Operation operation) const {
  Histogram all;
  for (std::size_t i = 0; i < count_; ++i) all.add((*this)[i].of(operation));
  return all;
}

std::string_view SharedTallies::first_error() const {
  for (std::size_t i = 0; i < count_; ++i)
    if ((*this)[i].errors > 0) return (*this)[i].first_error.data();
  return {};
}

}  // namespace hone::load
