-- Sweeps that the last start could not read from the ledger: their events are kept, and they are
-- not served. Written by each start; no event folds into it.
CREATE TABLE quarantine (
  sweep INTEGER PRIMARY KEY,
  event INTEGER NOT NULL,  -- the first that cannot be read
  why TEXT NOT NULL
);
