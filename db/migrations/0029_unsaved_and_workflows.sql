-- Reports of runs without a checkpoint: a program that saves none is judged by another rule, and trains other phases.
ALTER TABLE sweep ADD COLUMN unsaved INTEGER NOT NULL DEFAULT 0;
