// Which squares of a batch of pictures show the same. Screens of games are mostly background, and
// the next one is mostly the last: what a convolution says of a square need be computed only once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hone::ga3c {

// Pictures are compared in words of four bytes, whatever those mean.
struct SquareGrid {
  int rows = 0;         // of a picture
  int row_words = 0;    // a multiple of step_words
  int stride_rows = 1;  // from one place to the next below
  int step_words = 1;   // the same to the right
  int strides = 1;      // a square is so many strides high and wide
  int places_down = 0, places_across = 0;

  [[nodiscard]] std::size_t picture_words() const {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(row_words);
  }
  [[nodiscard]] int places() const { return places_down * places_across; }
};

class DistinctSquares {
 public:
  DistinctSquares(const SquareGrid& grid, int pictures_max);

  // Looks where the same is likely: one place to the left, and at the same place of the picture
  // before. Squares with the same number are equal; two numbers may be equal by chance.
  void find(const std::uint32_t* pictures, int count);

  [[nodiscard]] const SquareGrid& grid() const { return grid_; }
  [[nodiscard]] int count() const { return static_cast<int>(corners_.size()); }
  // Of the squares at all places of all pictures: counted from 0 in the order they are first seen.
  [[nodiscard]] std::span<const std::int32_t> numbers() const { return numbers_; }
  // Where such a square begins, in words from the first picture on.
  [[nodiscard]] std::size_t corner(int number) const {
    return corners_[static_cast<std::size_t>(number)];
  }

 private:
  void count_equal_rows(const std::uint32_t* row, bool first_picture);
  void number_places(std::size_t row_start, bool first_picture);
  [[nodiscard]] bool is_high(const std::vector<int>& runs, int across) const;

  SquareGrid grid_;
  std::vector<std::int32_t> numbers_;
  std::vector<std::size_t> corners_;
  // For each step of a row: over how many rows up to here it has been what is to its left, and what
  // the picture before shows.
  std::vector<int> like_left_, like_before_;
};

}  // namespace hone::ga3c
