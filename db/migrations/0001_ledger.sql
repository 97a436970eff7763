-- The truth. One row for every event, in order and for ever; everything else in this file can be made again from it.

CREATE TABLE event (
  seq   INTEGER PRIMARY KEY,  -- 1, 2, 3, ... without gaps
  at    INTEGER NOT NULL,     -- microseconds since 1970, UTC; never decreases
  kind  TEXT NOT NULL,        -- 'sweep_submitted', ...: schemas/types/event.hpp
  sweep INTEGER,              -- the sweep it belongs to, where there is one
  body  TEXT NOT NULL         -- a JSON object
) STRICT;

CREATE INDEX event_by_sweep ON event (sweep, seq) WHERE sweep IS NOT NULL;

CREATE TRIGGER event_follows BEFORE INSERT ON event
WHEN NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM event)
BEGIN
  SELECT raise(ABORT, 'the ledger has no gaps: an event must carry the next seq');
END;

CREATE TRIGGER event_not_before BEFORE INSERT ON event
WHEN NEW.at < (SELECT at FROM event ORDER BY seq DESC LIMIT 1)
BEGIN
  SELECT raise(ABORT, 'the ledger never goes back in time');
END;

CREATE TRIGGER event_kept BEFORE UPDATE ON event
BEGIN
  SELECT raise(ABORT, 'the ledger is append-only: events are never changed');
END;

CREATE TRIGGER event_stays BEFORE DELETE ON event
BEGIN
  SELECT raise(ABORT, 'the ledger is append-only: events are never deleted');
END;

-- Telemetry, written in the same commits but folded into nothing. A run that went back to a checkpoint, or a worker that
-- sends its spool twice, logs the same step again: the newest value stands.
CREATE TABLE metric_point (
  trial     INTEGER NOT NULL,
  replicate INTEGER NOT NULL,
  name      TEXT NOT NULL,
  step      INTEGER NOT NULL,
  value     REAL NOT NULL,
  at        INTEGER NOT NULL,
  PRIMARY KEY (trial, replicate, name, step)
) STRICT, WITHOUT ROWID;
