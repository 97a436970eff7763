-- The code that an attempt executed, and what was measured of a model after its training.
ALTER TABLE workflow ADD COLUMN hone_commit TEXT NOT NULL DEFAULT '';
ALTER TABLE dataset ADD COLUMN location TEXT NOT NULL DEFAULT '';

ALTER TABLE attempt ADD COLUMN workflow INTEGER REFERENCES workflow (id);
CREATE INDEX attempt_by_workflow ON attempt (workflow) WHERE workflow IS NOT NULL;

-- How the code of an attempt differs from that of its sweep's submission: words out of "commit patch environment hone". Compares
-- only what both name.
CREATE VIEW attempt_code (lease, workflow, differs) AS
SELECT a.lease, a.workflow, rtrim(
    iif(c.git_commit <> '' AND f.git_commit <> '' AND c.git_commit <> f.git_commit, 'commit ', '')
    || iif(c.git_commit <> '' AND f.git_commit <> '' AND c.patch_sha256 <> f.patch_sha256, 'patch ', '')
    || iif(c.environment_sha256 <> '' AND f.environment_sha256 <> '' AND c.environment_sha256 <> f.environment_sha256,
           'environment ', '')
    || iif(f.hone_version <> '' AND (c.hone_version <> f.hone_version
           OR (c.hone_commit <> '' AND f.hone_commit <> '' AND c.hone_commit <> f.hone_commit)), 'hone ', ''))
  FROM attempt a JOIN workflow c ON c.id = a.workflow JOIN sweep s ON s.id = a.sweep JOIN workflow f ON f.id = s.workflow;

CREATE TABLE evaluation (
  id          INTEGER PRIMARY KEY,
  model       INTEGER NOT NULL REFERENCES model (id),
  trial       INTEGER NOT NULL,
  replicate   INTEGER NOT NULL,
  sweep       INTEGER NOT NULL REFERENCES sweep (id),
  metric      TEXT NOT NULL,
  episodes    INTEGER NOT NULL,
  mean        REAL NOT NULL,
  deviation   REAL NOT NULL,  -- of one episode: the standard deviation with n - 1
  "values"    TEXT NOT NULL,  -- a JSON array
  environment TEXT NOT NULL,
  seed        INTEGER NOT NULL,
  sample      INTEGER NOT NULL,
  author      TEXT NOT NULL,
  recorded_at INTEGER NOT NULL
) STRICT;
CREATE INDEX evaluation_by_model ON evaluation (model, id);
CREATE INDEX evaluation_by_sweep ON evaluation (sweep, id);
