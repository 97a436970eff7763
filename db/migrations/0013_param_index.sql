-- Parameters by value, for find. Entries land all over these trees, so they are written for many trials at once
-- (db/knowledge_rows.cpp): of trials up to param_indexed.trial. Newer ones are read from param itself.
DROP INDEX param_by_number;
DROP INDEX param_by_text;
CREATE TABLE param_number (
  name   TEXT NOT NULL,
  number REAL NOT NULL,
  trial  INTEGER NOT NULL REFERENCES trial (id),
  PRIMARY KEY (name, number, trial)
) STRICT, WITHOUT ROWID;
CREATE TABLE param_text (
  name  TEXT NOT NULL,
  text  TEXT NOT NULL,
  trial INTEGER NOT NULL REFERENCES trial (id),
  PRIMARY KEY (name, text, trial)
) STRICT, WITHOUT ROWID;
CREATE TABLE param_indexed (
  trial INTEGER NOT NULL
) STRICT;
