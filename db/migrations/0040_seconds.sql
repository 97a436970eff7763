-- Seconds of the reported phases of a run by the clock of its worker, and the number of phases of which they are known. Phases
-- that a fork took over are those of another run.
ALTER TABLE run ADD COLUMN seconds REAL NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN timed INTEGER NOT NULL DEFAULT 0;
