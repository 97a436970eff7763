#include "worker/train/replay/rank_index.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

namespace hone::replay {
namespace {

constexpr auto nowhere = std::numeric_limits<std::uint32_t>::max();

}  // namespace

RankIndex::RankIndex(double alpha, std::size_t slots)
    : mass_(slots), errors_(slots, 0.0), places_(slots, nowhere) {
  double sum = 0;
  for (std::size_t rank = 0; rank < slots; ++rank)
    mass_[rank] = sum += std::pow(static_cast<double>(rank + 1), -alpha);
}

void RankIndex::put(std::size_t place, std::uint32_t slot) {
  heap_[place] = slot;
  places_[slot] = static_cast<std::uint32_t>(place);
}

// Moves the slot of this place up or down until its parent has no smaller error, and no child has a
// larger one.
void RankIndex::settle(std::size_t place) {
  const auto slot = heap_[place];
  const double error = errors_[slot];
  for (; place > 0; place = (place - 1) / 2) {
    const auto parent = heap_[(place - 1) / 2];
    if (errors_[parent] >= error) break;
    put(place, parent);
  }
  for (std::size_t child; (child = 2 * place + 1) < heap_.size(); place = child) {
    if (child + 1 < heap_.size() && errors_[heap_[child + 1]] > errors_[heap_[child]]) ++child;
    if (errors_[heap_[child]] <= error) break;
    put(place, heap_[child]);
  }
  put(place, slot);
}

// A sorted list is a heap too.
void RankIndex::sort() {
  std::sort(heap_.begin(), heap_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return errors_[a] != errors_[b] ? errors_[a] > errors_[b] : a < b;
  });
  for (std::size_t place = 0; place < heap_.size(); ++place) put(place, heap_[place]);
  changes_ = 0;
}

void RankIndex::add(std::size_t slot) {
  errors_[slot] = most_;
  heap_.push_back(static_cast<std::uint32_t>(slot));
  settle(heap_.size() - 1);
}

void RankIndex::remove(std::size_t slot) {
  const auto place = places_[slot];
  const auto last = heap_.back();
  heap_.pop_back();
  places_[slot] = nowhere;
  if (last == slot) return;
  put(place, last);
  settle(place);
}

void RankIndex::set_error(std::size_t slot, double error) {
  errors_[slot] = std::abs(error);
  most_ = std::max(most_, errors_[slot]);
  settle(places_[slot]);
  if (++changes_ >= heap_.size()) sort();
}

bool RankIndex::contains(std::size_t slot) const { return places_[slot] != nowhere; }

void RankIndex::draw(std::span<Draw> out, envs::Stream& random) const {
  const double total = mass_[heap_.size() - 1];
  const double part = total / static_cast<double>(out.size());
  const auto end = mass_.begin() + static_cast<std::ptrdiff_t>(heap_.size());
  double start = 0;
  for (auto& draw : out) {
    const auto found = std::upper_bound(mass_.begin(), end - 1, start + part * random.uniform());
    const auto rank = static_cast<std::size_t>(found - mass_.begin());
    const double mass = mass_[rank] - (rank == 0 ? 0 : mass_[rank - 1]);
    draw = {heap_[rank], mass / total};
    start += part;
  }
}

std::vector<std::uint64_t> RankIndex::save() const {
  std::vector<std::uint64_t> words{std::bit_cast<std::uint64_t>(most_), changes_};
  for (const auto slot : heap_)
    words.insert(words.end(), {slot, std::bit_cast<std::uint64_t>(errors_[slot])});
  return words;
}

bool RankIndex::restore(std::span<const std::uint64_t> words) {
  if (words.size() < 2 || words.size() % 2 != 0) return false;
  most_ = std::bit_cast<double>(words[0]);
  changes_ = words[1];
  if (!(most_ >= 0 && std::isfinite(most_))) return false;
  for (auto pair = words.subspan(2); !pair.empty(); pair = pair.subspan(2)) {
    const auto error = std::bit_cast<double>(pair[1]);
    if (pair[0] >= places_.size() || places_[pair[0]] != nowhere) return false;
    if (!(error >= 0 && error <= most_)) return false;
    errors_[pair[0]] = error;
    heap_.push_back(0);
    put(heap_.size() - 1, static_cast<std::uint32_t>(pair[0]));
  }
  return std::is_heap(heap_.begin(), heap_.end(),
                      [&](std::uint32_t a, std::uint32_t b) { return errors_[a] < errors_[b]; });
}

}  // namespace hone::replay
