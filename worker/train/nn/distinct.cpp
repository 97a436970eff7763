#include "worker/train/nn/distinct.hpp"

#include <algorithm>

namespace hone::nn {
namespace {

// No branch for each word: the compiler unrolls the loop if the count is a constant.
bool are_equal(const std::uint32_t* a, const std::uint32_t* b, int words) {
  std::uint32_t difference = 0;
  for (int i = 0; i < words; ++i) difference |= a[i] ^ b[i];
  return difference == 0;
}

// Counts up for every step that equals the step `back` words before it; the others restart at 0.
template <class Words>
void count_runs(const std::uint32_t* row, std::size_t back, Words step_words, std::span<int> runs) {
  for (int& run : runs) {
    run = are_equal(row, row - back, step_words) ? run + 1 : 0;
    row += step_words;
  }
}

template <int Words>
using Known = std::integral_constant<int, Words>;

void count_runs(const std::uint32_t* row, std::size_t back, int step_words, std::span<int> runs) {
  switch (step_words) {  // constants for the two layers of the published network
    case 4:
      return count_runs(row, back, Known<4>{}, runs);
    case 2:
      return count_runs(row, back, Known<2>{}, runs);
    default:
      return count_runs<int>(row, back, step_words, runs);
  }
}

}  // namespace

DistinctSquares::DistinctSquares(const SquareGrid& grid, int pictures_max)
    : grid_(grid),
      like_left_(as_size(grid.row_words / grid.step_words)),
      like_before_(like_left_.size()) {
  numbers_.reserve(as_size(pictures_max) * as_size(grid.places()));
  corners_.reserve(numbers_.capacity());
}

void DistinctSquares::find(const std::uint32_t* pictures, int count) {
  numbers_.clear();
  corners_.clear();
  const int side_rows = grid_.strides * grid_.stride_rows;
  for (int picture = 0; picture < count; ++picture) {
    std::fill(like_left_.begin(), like_left_.end(), 0);
    std::fill(like_before_.begin(), like_before_.end(), 0);
    const auto start = as_size(picture) * grid_.picture_words();
    for (int row = 0; row < grid_.rows; ++row) {
      count_equal_rows(pictures + start + as_size(row) * as_size(grid_.row_words), picture == 0);
      const int top = row + 1 - side_rows;
      if (top < 0 || top % grid_.stride_rows != 0) continue;
      if (top / grid_.stride_rows < grid_.places_down)
        number_places(start + as_size(top) * as_size(grid_.row_words), picture == 0);
    }
  }
}

void DistinctSquares::count_equal_rows(const std::uint32_t* row, bool first_picture) {
  const auto step = as_size(grid_.step_words);
  count_runs(row + step, step, grid_.step_words, std::span(like_left_).subspan(1));
  if (!first_picture) count_runs(row, grid_.picture_words(), grid_.step_words, like_before_);
}

void DistinctSquares::number_places(std::size_t row_start, bool first_picture) {
  for (int across = 0; across < grid_.places_across; ++across) {
    if (across > 0 && is_high(like_left_, across)) {
      numbers_.push_back(numbers_.back());
    } else if (!first_picture && is_high(like_before_, across)) {
      numbers_.push_back(numbers_[numbers_.size() - as_size(grid_.places())]);
    } else {
      numbers_.push_back(this->count());
      corners_.push_back(row_start + as_size(across) * as_size(grid_.step_words));
    }
  }
}

// Whether the steps at this place have been equal over the whole height of the square.
bool DistinctSquares::is_high(const std::vector<int>& runs, int across) const {
  const auto* first = runs.data() + across;
  return *std::min_element(first, first + grid_.strides) >= grid_.strides * grid_.stride_rows;
}

}  // namespace hone::nn
