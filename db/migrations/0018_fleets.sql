-- Fleets and their pilots: workers that an engine runs.
CREATE TABLE fleet (
  id         INTEGER PRIMARY KEY,
  name       TEXT NOT NULL,
  state      TEXT NOT NULL,
  detail     TEXT NOT NULL DEFAULT '',
  spec       TEXT NOT NULL,             -- JSON
  want       INTEGER NOT NULL DEFAULT 0,
  rule       TEXT NOT NULL DEFAULT 'enough',
  rule_detail TEXT NOT NULL DEFAULT '',
  decided_at INTEGER,
  created_at INTEGER NOT NULL,
  stopped_at INTEGER
) STRICT;

CREATE TABLE pilot (
  id         INTEGER PRIMARY KEY,
  fleet      INTEGER NOT NULL,
  state      TEXT NOT NULL,
  rule       TEXT NOT NULL,             -- why it was wanted
  rule_detail TEXT NOT NULL DEFAULT '',
  handle     TEXT NOT NULL DEFAULT '',
  worker     INTEGER,
  canceled   TEXT,                      -- the rule
  end_rule   TEXT,
  detail     TEXT NOT NULL DEFAULT '',  -- as the engine reported it last
  wanted_at  INTEGER NOT NULL,
  joined_at  INTEGER,
  ended_at   INTEGER
) STRICT;
CREATE INDEX pilot_by_fleet ON pilot (fleet, id);
