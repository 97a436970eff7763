-- The leaderboard (docs/leaderboard.md). trial.cost becomes the cost of the trial's value: the aggregate of its runs' final
-- values, at the last phase that all its first runs have reported. best_cost is that of its best report.
ALTER TABLE trial ADD COLUMN best_cost REAL NOT NULL DEFAULT 9e999;
ALTER TABLE trial ADD COLUMN length INTEGER NOT NULL DEFAULT 0;  -- phases behind its value
ALTER TABLE trial ADD COLUMN seeds INTEGER NOT NULL DEFAULT 0;   -- runs behind its value
ALTER TABLE trial ADD COLUMN failed INTEGER NOT NULL DEFAULT 0;  -- its runs failed because of its parameters
-- The cost and the runs behind it in the sweep's confirmations, once one has ended.
ALTER TABLE trial ADD COLUMN confirmed_cost REAL;
ALTER TABLE trial ADD COLUMN confirmed_seeds INTEGER NOT NULL DEFAULT 0;
CREATE INDEX trial_confirmed ON trial (sweep, confirmed_cost) WHERE confirmed_cost IS NOT NULL;
-- The largest length of any trial, and the most runs where a trial can get further seeds. A trial with less than half of
-- either ranks after the others.
ALTER TABLE sweep ADD COLUMN longest INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sweep ADD COLUMN most_runs INTEGER NOT NULL DEFAULT 0;
