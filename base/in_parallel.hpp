// Runs independent pieces of work on several threads.
#pragma once

#include <algorithm>
#include <thread>
#include <vector>

namespace hone {

// Calls `work(thread, i)` for each i below `count`, and returns when all are done. Thread t of
// `threads` takes t, t + threads, ...; the calling thread is thread 0. Precondition: threads >= 1.
template <class Work>
void in_parallel(std::size_t threads, std::size_t count, const Work& work) {
  const auto some = [&](std::size_t thread) {
    for (std::size_t i = thread; i < count; i += threads) work(thread, i);
  };
  std::vector<std::jthread> others;
  for (std::size_t t = 1; t < std::min(threads, count); ++t) others.emplace_back(some, t);
  some(0);
}

}  // namespace hone
