-- What makes everything findable: parameters by value, the newest value of each series, tags, notes, and where a sweep or a
-- trial came from.

-- One row for each value of each trial. Numbers (true and false too) are found by number, other texts by text.
CREATE TABLE param (
  trial  INTEGER NOT NULL REFERENCES trial (id),
  name   TEXT NOT NULL,
  number REAL,
  text   TEXT,
  PRIMARY KEY (trial, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX param_by_number ON param (name, number) WHERE number IS NOT NULL;
CREATE INDEX param_by_text ON param (name, text) WHERE text IS NOT NULL;

-- Telemetry, as metric_point: not of the ledger.
CREATE TABLE metric_last (
  trial     INTEGER NOT NULL,
  replicate INTEGER NOT NULL,
  name      TEXT NOT NULL,
  step      INTEGER NOT NULL,
  value     REAL NOT NULL,
  PRIMARY KEY (trial, replicate, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX metric_by_value ON metric_last (name, value);
INSERT INTO metric_last SELECT trial, replicate, name, max(step), value FROM metric_point GROUP BY trial, replicate, name;

CREATE TABLE note (
  id     INTEGER PRIMARY KEY,
  object TEXT NOT NULL,  -- the id as people write it: 'tr_42'
  text   TEXT NOT NULL,
  author TEXT NOT NULL,
  at     INTEGER NOT NULL
) STRICT;
CREATE INDEX note_by_object ON note (object, id);

CREATE TABLE tag (
  object TEXT NOT NULL,
  tag    TEXT NOT NULL,
  at     INTEGER NOT NULL,
  PRIMARY KEY (object, tag)
) STRICT, WITHOUT ROWID;
CREATE INDEX tag_by_name ON tag (tag, object);

CREATE TABLE warm_start (  -- the sweeps that a sweep learned from
  sweep    INTEGER NOT NULL REFERENCES sweep (id),
  earlier  INTEGER NOT NULL REFERENCES sweep (id),
  position INTEGER NOT NULL,  -- in its sweep file
  PRIMARY KEY (sweep, earlier)
) STRICT, WITHOUT ROWID;
CREATE INDEX warm_start_by_earlier ON warm_start (earlier);

CREATE TABLE edit (  -- of a live sweep
  id    INTEGER PRIMARY KEY,
  sweep INTEGER NOT NULL REFERENCES sweep (id),
  what  TEXT NOT NULL,  -- a JSON object
  at    INTEGER NOT NULL
) STRICT;
CREATE INDEX edit_by_sweep ON edit (sweep, id);

ALTER TABLE sweep ADD COLUMN archived_at INTEGER;
ALTER TABLE sweep ADD COLUMN forked_from INTEGER REFERENCES sweep (id);
ALTER TABLE sweep ADD COLUMN imported_at INTEGER;
ALTER TABLE trial ADD COLUMN pinned_at INTEGER;
ALTER TABLE trial ADD COLUMN origin INTEGER REFERENCES trial (id);  -- that a user submitted again, in part
ALTER TABLE workflow ADD COLUMN environment_sha256 TEXT NOT NULL DEFAULT '';

CREATE INDEX sweep_by_fork ON sweep (forked_from) WHERE forked_from IS NOT NULL;
CREATE INDEX attempt_by_resume ON attempt (resume) WHERE resume IS NOT NULL;
CREATE INDEX sweep_by_name ON sweep (name);
CREATE INDEX trial_repeated ON trial (sweep) WHERE runs > 1;
CREATE INDEX trial_by_origin ON trial (origin) WHERE origin IS NOT NULL;
CREATE INDEX workflow_by_commit ON workflow (git_commit);
