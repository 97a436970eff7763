-- Several runs of a trial: the sweep that a confirmation confirms, how many problems each seed trains on, and
-- what a process said about the seed it was given.
ALTER TABLE sweep ADD COLUMN confirms INTEGER;
ALTER TABLE sweep ADD COLUMN instances INTEGER NOT NULL DEFAULT 1;
ALTER TABLE run ADD COLUMN seed_applied INTEGER;
CREATE INDEX sweep_confirms ON sweep (confirms) WHERE confirms IS NOT NULL;
