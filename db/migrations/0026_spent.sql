-- The run's time until the report, by the clock of an objective of time (reach.hpp); null under any other objective,
-- and where the clock counts steps.
ALTER TABLE report ADD COLUMN spent REAL;
