// Tags and notes of an object.
#pragma once

#include <SQLiteCpp/Database.h>

#include <string>
#include <vector>

#include "schemas/types/ids.hpp"
#include "schemas/types/instant.hpp"

namespace hone {

struct Note {
  std::string text;
  std::string author;
  Instant at;
};

struct About {
  std::vector<std::string> tags;  // sorted
  std::vector<Note> notes;        // oldest first
};

About read_about(SQLite::Database& db, const ObjectId& id);

}  // namespace hone
