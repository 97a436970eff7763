-- Reports of runs without a checkpoint: a program that saves none is judged by another rule, and trains other phases.
ALTER TABLE sweep ADD COLUMN unsaved INTEGER NOT NULL DEFAULT 0;
-- What the user calls a workflow: its name, which version of it, and what it is for.
ALTER TABLE workflow ADD COLUMN name TEXT NOT NULL DEFAULT '';
ALTER TABLE workflow ADD COLUMN version TEXT NOT NULL DEFAULT '';
ALTER TABLE workflow ADD COLUMN description TEXT NOT NULL DEFAULT '';
