-- The ledger folded into tables that answer the API's questions with indexed SELECTs. db/projection.cpp is the only
-- writer, in the transaction of the event; rebuild_projection makes all of it again.
--
-- cost orders scores for people and for paging: smaller is better whatever the goal, 1.7976931348623157e308 (the largest
-- double) is a diverged report and infinity means 'no report yet'.

CREATE TABLE workflow (
  id           INTEGER PRIMARY KEY,
  command      TEXT NOT NULL,  -- a JSON array of the arguments
  cwd          TEXT NOT NULL,
  host         TEXT NOT NULL,
  user         TEXT NOT NULL,
  git_commit   TEXT NOT NULL,
  git_branch   TEXT NOT NULL,
  patch_sha256 TEXT NOT NULL,
  hone_version TEXT NOT NULL,
  recorded_at  INTEGER NOT NULL
) STRICT;

CREATE TABLE dataset (
  id          INTEGER PRIMARY KEY,
  name        TEXT NOT NULL,
  version     TEXT NOT NULL,
  digest      TEXT NOT NULL,
  recorded_at INTEGER NOT NULL
) STRICT;

CREATE TABLE worker (
  id           INTEGER PRIMARY KEY,
  host         TEXT NOT NULL,
  pid          INTEGER NOT NULL,
  cpus         INTEGER NOT NULL,
  gpus         INTEGER NOT NULL,
  hone_version TEXT NOT NULL,
  joined_at    INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL
) STRICT;

CREATE TABLE sweep (
  id             INTEGER PRIMARY KEY,
  name           TEXT NOT NULL,
  project        TEXT NOT NULL,
  state          TEXT NOT NULL,
  reason         TEXT NOT NULL DEFAULT 'none',
  submitted_at   INTEGER NOT NULL,
  ended_at       INTEGER,
  metric         TEXT NOT NULL,
  goal           TEXT NOT NULL,
  seed           INTEGER NOT NULL,  -- the bits of the unsigned 64-bit seed
  trials         INTEGER NOT NULL,  -- to be proposed in all
  seeds          INTEGER NOT NULL,  -- runs of every trial
  phases         INTEGER NOT NULL,  -- of a complete run
  workflow       INTEGER NOT NULL REFERENCES workflow (id),
  dataset        INTEGER REFERENCES dataset (id),
  -- maintained counters; the triggers below keep those of the runs
  proposed       INTEGER NOT NULL DEFAULT 0,
  reports        INTEGER NOT NULL DEFAULT 0,
  runs_queued    INTEGER NOT NULL DEFAULT 0,
  runs_leased    INTEGER NOT NULL DEFAULT 0,
  runs_running   INTEGER NOT NULL DEFAULT 0,
  runs_paused    INTEGER NOT NULL DEFAULT 0,
  runs_completed INTEGER NOT NULL DEFAULT 0,
  runs_stopped   INTEGER NOT NULL DEFAULT 0,
  runs_failed    INTEGER NOT NULL DEFAULT 0,
  runs_canceled  INTEGER NOT NULL DEFAULT 0,
  spec           TEXT NOT NULL      -- the sweep file, normalized, as JSON; last, for it is long
) STRICT;

CREATE INDEX sweep_by_workflow ON sweep (workflow);
CREATE INDEX sweep_by_dataset ON sweep (dataset) WHERE dataset IS NOT NULL;

CREATE TABLE trial (
  id          INTEGER PRIMARY KEY,
  sweep       INTEGER NOT NULL REFERENCES sweep (id),
  number      INTEGER NOT NULL,
  params      TEXT NOT NULL,  -- a JSON object, in the order of the sweep file
  state       TEXT NOT NULL DEFAULT 'queued',  -- of the run that matters most: trigger run_moved
  reason      TEXT NOT NULL DEFAULT 'none',
  cost        REAL NOT NULL DEFAULT 9e999,     -- mean over its runs of each run's best
  phase       INTEGER NOT NULL DEFAULT 0,      -- most reports any of its runs has
  runs        INTEGER NOT NULL,
  proposed_at INTEGER NOT NULL,
  UNIQUE (sweep, number)
) STRICT;

CREATE INDEX trial_by_rank ON trial (sweep, cost, number);

CREATE TABLE run (
  trial       INTEGER NOT NULL REFERENCES trial (id),
  replicate   INTEGER NOT NULL,
  sweep       INTEGER NOT NULL REFERENCES sweep (id),
  state       TEXT NOT NULL DEFAULT 'queued',
  reason      TEXT NOT NULL DEFAULT 'none',
  detail      TEXT NOT NULL DEFAULT '',
  exit_code   INTEGER,
  log_tail    TEXT NOT NULL DEFAULT '',
  attempts    INTEGER NOT NULL DEFAULT 0,
  worker      INTEGER REFERENCES worker (id),  -- of the latest attempt
  reports     INTEGER NOT NULL DEFAULT 0,
  cost        REAL NOT NULL DEFAULT 9e999,     -- of the latest report
  step        INTEGER NOT NULL DEFAULT 0,      -- of the latest report
  best_cost   REAL NOT NULL DEFAULT 9e999,
  best_phase  INTEGER,
  best_step   INTEGER,
  started_at  INTEGER,
  ended_at    INTEGER,
  PRIMARY KEY (trial, replicate)
) STRICT, WITHOUT ROWID;

CREATE TABLE attempt (
  lease      INTEGER PRIMARY KEY,
  trial      INTEGER NOT NULL,
  replicate  INTEGER NOT NULL,
  number     INTEGER NOT NULL,
  sweep      INTEGER NOT NULL REFERENCES sweep (id),
  worker     INTEGER NOT NULL REFERENCES worker (id),
  granted_at INTEGER NOT NULL,
  started_at INTEGER,
  ended_at   INTEGER,
  end_reason TEXT,
  detail     TEXT NOT NULL DEFAULT '',
  resume     INTEGER REFERENCES model (id),
  UNIQUE (trial, replicate, number),
  FOREIGN KEY (trial, replicate) REFERENCES run (trial, replicate)
) STRICT;

CREATE INDEX attempt_by_worker ON attempt (worker, lease);
CREATE INDEX attempt_live ON attempt (worker) WHERE ended_at IS NULL;

CREATE TABLE report (
  trial     INTEGER NOT NULL,
  replicate INTEGER NOT NULL,
  phase     INTEGER NOT NULL,
  step      INTEGER NOT NULL,
  value     REAL,  -- null: diverged
  at        INTEGER NOT NULL,
  lease     INTEGER NOT NULL REFERENCES attempt (lease),
  verdict   TEXT,  -- JSON: {"verdict", "reason", "inputs"}
  PRIMARY KEY (trial, replicate, phase),
  FOREIGN KEY (trial, replicate) REFERENCES run (trial, replicate)
) STRICT, WITHOUT ROWID;

CREATE TABLE model (
  id        INTEGER PRIMARY KEY,
  trial     INTEGER NOT NULL,
  replicate INTEGER NOT NULL,
  sweep     INTEGER NOT NULL REFERENCES sweep (id),
  lease     INTEGER NOT NULL REFERENCES attempt (lease),
  sha256    TEXT NOT NULL,
  bytes     INTEGER NOT NULL,
  step      INTEGER NOT NULL,
  phase     INTEGER NOT NULL,
  parent    INTEGER REFERENCES model (id),
  saved_at  INTEGER NOT NULL,
  FOREIGN KEY (trial, replicate) REFERENCES run (trial, replicate)
) STRICT;

CREATE INDEX model_by_run ON model (trial, replicate, phase, id);
CREATE INDEX model_by_trial ON model (trial, id);
CREATE INDEX model_by_sweep ON model (sweep, id);
CREATE INDEX model_by_parent ON model (parent) WHERE parent IS NOT NULL;

CREATE TRIGGER run_queued AFTER INSERT ON run
BEGIN
  UPDATE sweep SET runs_queued = runs_queued + 1 WHERE id = NEW.sweep;
END;

CREATE TRIGGER run_moved AFTER UPDATE OF state ON run
BEGIN
  UPDATE sweep SET
    runs_queued    = runs_queued    + (NEW.state = 'queued')    - (OLD.state = 'queued'),
    runs_leased    = runs_leased    + (NEW.state = 'leased')    - (OLD.state = 'leased'),
    runs_running   = runs_running   + (NEW.state = 'running')   - (OLD.state = 'running'),
    runs_paused    = runs_paused    + (NEW.state = 'paused')    - (OLD.state = 'paused'),
    runs_completed = runs_completed + (NEW.state = 'completed') - (OLD.state = 'completed'),
    runs_stopped   = runs_stopped   + (NEW.state = 'stopped')   - (OLD.state = 'stopped'),
    runs_failed    = runs_failed    + (NEW.state = 'failed')    - (OLD.state = 'failed'),
    runs_canceled  = runs_canceled  + (NEW.state = 'canceled')  - (OLD.state = 'canceled')
  WHERE id = NEW.sweep;
  UPDATE trial SET (state, reason) = (
    SELECT state, reason FROM run WHERE run.trial = NEW.trial
    ORDER BY CASE state WHEN 'running' THEN 0 WHEN 'leased' THEN 1 WHEN 'queued' THEN 2 WHEN 'paused' THEN 3
                        WHEN 'failed' THEN 4 WHEN 'canceled' THEN 5 WHEN 'stopped' THEN 6 ELSE 7 END, replicate
    LIMIT 1)
  WHERE id = NEW.trial;
END;
