-- Files that runs left, by their name in the run's own folder. The bytes are blobs, as those of checkpoints are.
CREATE TABLE artifact (
  trial INTEGER NOT NULL,
  replicate INTEGER NOT NULL,
  name TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  saved_at INTEGER NOT NULL,
  PRIMARY KEY (trial, replicate, name)
) WITHOUT ROWID;
CREATE INDEX artifact_by_content ON artifact (sha256);
