-- Seconds that search.cost expected of a phase of the trial, and the power of them by which it divided expected improvement.
ALTER TABLE trial ADD COLUMN expected_seconds REAL;
ALTER TABLE trial ADD COLUMN cost_weight REAL;
