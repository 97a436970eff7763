-- Phases that were reported and are trained again, because a run was resumed without a checkpoint of them. And why a sweep
-- failed, as a sentence.
ALTER TABLE sweep ADD COLUMN repeated INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sweep ADD COLUMN detail TEXT NOT NULL DEFAULT '';
