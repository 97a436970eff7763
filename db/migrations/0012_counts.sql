-- What triggers did row by row is done once for a batch: db/counts.cpp counts a sweep's runs by state and moves a trial
-- with its runs, and db/ledger.cpp refuses gaps and steps back in time.
DROP TRIGGER run_queued;
DROP TRIGGER run_moved;
DROP TRIGGER IF EXISTS event_follows;
DROP TRIGGER IF EXISTS event_not_before;
