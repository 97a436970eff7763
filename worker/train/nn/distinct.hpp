// Numbers the distinct squares of a batch of pictures. Screens of games are mostly background and
// change little from one to the next, so a convolution needs to compute equal squares only once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hone::nn {

inline std::size_t as_size(int n) { return static_cast<std::size_t>(n); }

// Pictures are compared in words of four bytes.
struct SquareGrid {
  int rows = 0;         // of a picture
  int row_words = 0;    // a multiple of step_words
  int stride_rows = 1;  // from one place to the next one below
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

  // Compares each square with the one to its left and with the one at the same place of the picture
  // before. Squares with the same number are equal; squares with different numbers may be equal
  // too.
  void find(const std::uint32_t* pictures, int count);

  [[nodiscard]] const SquareGrid& grid() const { return grid_; }
  [[nodiscard]] int count() const { return static_cast<int>(corners_.size()); }
  // The numbers of the squares at all places of all pictures, from 0 in the order of first
  // appearance.
  [[nodiscard]] std::span<const std::int32_t> numbers() const { return numbers_; }
  // The first word of the square with this number, counted from the first picture.
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
  // For each step of a row: for how many rows up to here it has been equal to the step to its left,
  // and to the same step of the picture before.
  std::vector<int> like_left_, like_before_;
};

}  // namespace hone::nn
