// What the five games share: a grid of ten by ten cells, six actions, and states of whole words
// without padding. A game is a type with
//
//   struct State;                                 // 32-bit numbers only, an even count of them
//   static constexpr int channels;
//   static void begin(State& state, RandomGenerator& random);
//   static Outcome move(State& state, Act act, RandomGenerator& random);
//   static void draw(const State& state, const Canvas& canvas);
//   static bool is_sound(const State& state);     // every place that is drawn is on the grid
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "worker/train/envs/core/copies.hpp"
#include "worker/train/envs/minatar/random_generator.hpp"

namespace hone::envs::minatar {

inline constexpr int side = 10;

enum class Act : std::int32_t { nothing, left, up, right, down, fire };

// An observation to draw on: [row][column][channel], all zeros at first.
struct Canvas {
  float* cells;
  int channels;
  void mark(int row, int column, int channel) const {
    cells[(row * side + column) * channels + channel] = 1.0F;
  }
};

inline bool on_grid(int place) { return place >= 0 && place < side; }
inline bool on_grid(int row, int column) { return on_grid(row) && on_grid(column); }
// Whether it is a step by one, to the left or to the right.
inline bool is_step(int step) { return step == -1 || step == 1; }
inline bool is_within(int number, int low, int high) { return number >= low && number <= high; }
// Whether no counter comes near the ends of its type.
template <class... Number>
bool are_counts(Number... numbers) {
  constexpr int most = 1'000'000;
  return (is_within(numbers, -most, most) && ...);
}

// Flags as numbers, so that a state has no padding.
using Flag = std::int32_t;

template <class State>
inline constexpr bool is_words =
    std::is_trivially_copyable_v<State>&& std::has_unique_object_representations_v<State> &&
    sizeof(State) % sizeof(std::uint64_t) == 0;

// A short list in a state, oldest element first.
template <class Item, int Most>
struct Few {
  std::array<Item, static_cast<std::size_t>(Most)> items{};
  std::int32_t count = 0;
  std::int32_t unused = 0;

  Item& operator[](int i) { return items[static_cast<std::size_t>(i)]; }
  const Item& operator[](int i) const { return items[static_cast<std::size_t>(i)]; }
  [[nodiscard]] bool full() const { return count == Most; }
  [[nodiscard]] auto begin() const { return items.begin(); }
  [[nodiscard]] auto end() const { return items.begin() + count; }
  void add(const Item& item) { items[static_cast<std::size_t>(count++)] = item; }
  void remove(int i) {
    for (--count; i < count; ++i) (*this)[i] = (*this)[i + 1];
    (*this)[count] = Item{};
  }
};

}  // namespace hone::envs::minatar
