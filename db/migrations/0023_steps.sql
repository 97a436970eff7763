-- Which step of its run's pipeline an attempt covered, and whether it finished it. Without a pipeline, the name is empty.
ALTER TABLE attempt ADD COLUMN step INTEGER NOT NULL DEFAULT 0;
ALTER TABLE attempt ADD COLUMN step_name TEXT NOT NULL DEFAULT '';
ALTER TABLE attempt ADD COLUMN finished INTEGER NOT NULL DEFAULT 0;
