#include "db/queries/about.hpp"

#include "db/sql.hpp"

namespace hone {

About read_about(SQLite::Database& db, const ObjectId& id) {
  About about;
  SQLite::Statement tags(db, "SELECT tag FROM tag WHERE object = ? ORDER BY tag");
  sql::bind(tags, text(id));
  while (tags.executeStep()) about.tags.push_back(tags.getColumn(0).getString());
  SQLite::Statement notes(db, "SELECT text, author, at FROM note WHERE object = ? ORDER BY id");
  sql::bind(notes, text(id));
  while (notes.executeStep()) {
    sql::Columns c(notes);
    Note note;
    note.text = c.text();
    note.author = c.text();
    note.at = c.instant();
    about.notes.push_back(std::move(note));
  }
  return about;
}

}  // namespace hone
