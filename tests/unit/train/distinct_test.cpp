#include "worker/train/nn/distinct.hpp"

#include <gtest/gtest.h>

#include "worker/train/envs/core/stream.hpp"

namespace hone::nn {
namespace {

using Words = std::vector<std::uint32_t>;

// The words of a square.
Words seen(const SquareGrid& grid, const Words& pictures, std::size_t corner) {
  Words words;
  for (int y = 0; y < grid.strides * grid.stride_rows; ++y)
    for (int x = 0; x < grid.strides * grid.step_words; ++x)
      words.push_back(pictures[corner + static_cast<std::size_t>(y * grid.row_words + x)]);
  return words;
}

std::size_t corner_of(const SquareGrid& grid, std::size_t place) {
  const auto places = static_cast<std::size_t>(grid.places());
  const auto across = static_cast<std::size_t>(grid.places_across);
  const auto row = place % places / across * static_cast<std::size_t>(grid.stride_rows);
  return place / places * grid.picture_words() + row * static_cast<std::size_t>(grid.row_words) +
         place % across * static_cast<std::size_t>(grid.step_words);
}

// Three pictures of few colours in wide bands, each similar to the one before.
Words pictures_of(const SquareGrid& grid) {
  Words pictures(3 * grid.picture_words());
  envs::Stream random(1, envs::Purpose::environment, 0);
  const auto one_in = [&](std::uint64_t n) { return random.bits() % n == 0; };
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    const auto row = i % grid.picture_words() / static_cast<std::size_t>(grid.row_words);
    pictures[i] = one_in(300) ? 7 : static_cast<std::uint32_t>(row / 9);
    if (i >= grid.picture_words() && !one_in(1000))
      pictures[i] = pictures[i - grid.picture_words()];
  }
  return pictures;
}

void expect_right_numbers(const SquareGrid& grid) {
  const auto pictures = pictures_of(grid);
  DistinctSquares squares(grid, 3);
  for (const int count : {3, 1, 2}) {  // no state of the batch before remains
    squares.find(pictures.data(), count);
    const auto numbers = squares.numbers();
    ASSERT_EQ(numbers.size(), static_cast<std::size_t>(count * grid.places()));
    int seen_so_far = 0;
    for (std::size_t place = 0; place < numbers.size(); ++place) {
      ASSERT_LE(numbers[place], seen_so_far) << place;
      if (numbers[place] == seen_so_far) {
        EXPECT_EQ(squares.corner(seen_so_far++), corner_of(grid, place));
        continue;
      }
      EXPECT_EQ(seen(grid, pictures, squares.corner(numbers[place])),
                seen(grid, pictures, corner_of(grid, place)))
          << place;
    }
    EXPECT_EQ(squares.count(), seen_so_far);
    EXPECT_LT(seen_so_far, count * grid.places());
  }
}

TEST(DistinctSquares, with_one_number_show_the_same) {
  expect_right_numbers({24, 24 * 4, 4, 16, 2, 5, 5});  // words for floats
  expect_right_numbers({88, 88, 4, 4, 2, 21, 21});     // four bytes each
  expect_right_numbers({24, 24, 2, 2, 2, 11, 11});
  expect_right_numbers({23, 12, 4, 3, 2, 4, 3});  // rows below the last squares
}

}  // namespace
}  // namespace hone::nn
