-- The parameters with which a trial trains from later phases on: a confirmed schedule (JSON).
ALTER TABLE trial ADD COLUMN schedule TEXT NOT NULL DEFAULT '[]';
