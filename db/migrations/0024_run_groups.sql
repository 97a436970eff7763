-- The runs of a sweep by how they are or ended, and what they trained, so that a page shows their sums without reading every
-- run. And the runs that are open, or ended since a time.
CREATE TABLE run_group (
  sweep   INTEGER NOT NULL REFERENCES sweep (id),
  state   TEXT NOT NULL,
  reason  TEXT NOT NULL,
  failure TEXT NOT NULL,
  runs    INTEGER NOT NULL,
  steps   INTEGER NOT NULL,  -- of their newest reports, less what a fork took over
  PRIMARY KEY (sweep, state, reason, failure)
) STRICT, WITHOUT ROWID;
CREATE INDEX run_by_end ON run (sweep, ended_at);
