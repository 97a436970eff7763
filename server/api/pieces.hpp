// An answer that is made piece by piece while its client reads it, so that one of any size takes
// the memory of a piece, and other reads take turns between two pieces.
#pragma once

#include <SQLiteCpp/Database.h>

#include <string>

#include "base/result.hpp"

namespace hone::api {

class Pieces {
 public:
  Pieces() = default;
  virtual ~Pieces() = default;
  Pieces(const Pieces&) = delete;
  Pieces& operator=(const Pieces&) = delete;

  // The next bytes of a body of JSON; none if there is more to prepare. A refusal before the first
  // byte is the answer; after it, the connection is closed in the middle of the answer.
  virtual Result<std::string> next(SQLite::Database& db) = 0;
  [[nodiscard]] virtual bool ended() const = 0;
};

}  // namespace hone::api
