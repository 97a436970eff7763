#include "db/projection/curve_rows.hpp"

#include "db/sql.hpp"

namespace hone {

CurveRows::CurveRows(SQLite::Database& db)
    : reports_(db, select_curve),
      add_(db, "INSERT INTO curve (trial, replicate, points) VALUES (?, ?, ?)") {}

void CurveRows::ended(RunId run) {
  sql::bind(reports_, run.trial, run.replicate);
  read_points(reports_, points_);
  if (points_.empty()) return;
  sql::run(add_, run.trial, run.replicate, sql::Bytes(points_));
}

}  // namespace hone
