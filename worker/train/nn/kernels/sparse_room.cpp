#include "worker/train/nn/kernels/sparse_room.hpp"

#include <algorithm>

namespace hone::dense {
namespace {

SparseCell seen_from(const SparseConvolution& c, int row, int column, int channel) {
  const int lowest = std::min(row, c.places_down() - 1);
  const int highest = std::max(row - c.side + 1, 0);
  const int below = row - lowest;  // rows of the square above the cell
  SparseCell cell;
  cell.place = static_cast<std::int32_t>(lowest * c.field_line()) +
               (column + c.side - 1) * SparseConvolution::filters;
  cell.weight = (below * c.side * c.channels + channel) * SparseConvolution::filters;
  cell.squares_down = lowest - highest + 1;
  return cell;
}

}  // namespace

SparseRoom::SparseRoom(int rows, int columns, int channels, int samples_max) {
  shape_.rows = rows;
  shape_.columns = columns;
  shape_.channels = channels;
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column)
      for (int channel = 0; channel < channels; ++channel)
        seen_.push_back(seen_from(shape_, row, column, channel));
  field_.resize(static_cast<std::size_t>(shape_.field_size()));
  cells_.resize(seen_.size() * static_cast<std::size_t>(samples_max));
  ends_.resize(static_cast<std::size_t>(samples_max));
}

SparseConvolution SparseRoom::plan() {
  auto plan = shape_;
  plan.seen = seen_.data();
  plan.field = field_.data();
  plan.cells = cells_.data();
  plan.ends = ends_.data();
  return plan;
}

}  // namespace hone::dense
