-- Snapshots of code that the commands of a sweep name, or named before an edit: blobs to keep.
CREATE TABLE snapshot (
  sha256 TEXT NOT NULL,
  sweep INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (sha256, sweep)
) WITHOUT ROWID;
