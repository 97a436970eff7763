-- What a model expects of the leading trials of a sweep with noisy values: a cost, and one standard deviation on either
-- side in the unit of the objective (docs/leaderboard.md).
ALTER TABLE trial ADD COLUMN expected_cost REAL;
ALTER TABLE trial ADD COLUMN expected_low REAL;
ALTER TABLE trial ADD COLUMN expected_high REAL;
CREATE INDEX trial_expected ON trial (sweep, expected_cost) WHERE expected_cost IS NOT NULL;
-- The share of noise in the variance of values; null where values rank.
ALTER TABLE sweep ADD COLUMN noise REAL;
