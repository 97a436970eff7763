// A learning curve in the form in which the query tables keep that of an ended run: 16 bytes for
// each report, where a row of `report` has some 500.
#pragma once

#include <SQLiteCpp/Statement.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

namespace hone {

// A report. Stored as its bytes.
struct PackedPoint {
  std::int64_t step = 0;
  std::int32_t phase = 0;
  float value = 0;  // infinity: diverged
  bool operator==(const PackedPoint&) const = default;
};
static_assert(sizeof(PackedPoint) == 16 && std::endian::native == std::endian::little);

inline constexpr char select_curve[] =
    "SELECT phase, step, value FROM report WHERE trial = ? AND replicate = ? ORDER BY phase";

// Replaces `points` with the rows of select_curve, whose parameters are bound.
inline void read_points(SQLite::Statement& rows, std::vector<PackedPoint>& points) {
  points.clear();
  while (rows.executeStep()) {
    PackedPoint point;
    point.phase = rows.getColumn(0).getInt();
    point.step = rows.getColumn(1).getInt64();
    point.value = rows.isColumnNull(2) ? std::numeric_limits<float>::infinity()
                                       : static_cast<float>(rows.getColumn(2).getDouble());
    points.push_back(point);
  }
  rows.reset();
}

}  // namespace hone
