// The curves of ended runs (migrations/0030_curves.sql). Internal to db.
#pragma once

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <vector>

#include "db/curve.hpp"
#include "schemas/types/ids.hpp"

namespace hone {

class CurveRows {
 public:
  // Prepares its statements once.
  explicit CurveRows(SQLite::Database& db);

  // Writes the curve of a run that has ended. Precondition: its reports are written.
  void ended(RunId run);

 private:
  SQLite::Statement reports_, add_;
  std::vector<PackedPoint> points_;  // of one run; a member to keep its memory
};

}  // namespace hone
