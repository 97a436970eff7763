-- The reports of an ended run as one value (db/curve.hpp), for pages that draw all runs of a sweep. Not WITHOUT ROWID:
-- there, values of more than a quarter of a page go to a page of their own.
CREATE TABLE curve (
  trial     INTEGER NOT NULL,
  replicate INTEGER NOT NULL,
  points    BLOB NOT NULL,
  PRIMARY KEY (trial, replicate),
  FOREIGN KEY (trial, replicate) REFERENCES run (trial, replicate)
) STRICT;
