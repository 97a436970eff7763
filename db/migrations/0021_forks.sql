-- What the first run of a trial continues: another run of its sweep up to a phase, from a checkpoint. And the trial whose place it
-- took in a population. The reports up to that phase are rows of the fork too, without a verdict.
ALTER TABLE trial ADD COLUMN fork_trial INTEGER REFERENCES trial (id);
ALTER TABLE trial ADD COLUMN fork_replicate INTEGER;
ALTER TABLE trial ADD COLUMN fork_model INTEGER REFERENCES model (id);
ALTER TABLE trial ADD COLUMN fork_phase INTEGER;
ALTER TABLE trial ADD COLUMN fork_step INTEGER;
ALTER TABLE trial ADD COLUMN replaces INTEGER REFERENCES trial (id);
CREATE INDEX trial_by_fork ON trial (fork_trial, fork_replicate) WHERE fork_trial IS NOT NULL;
CREATE INDEX trial_by_replaced ON trial (replaces) WHERE replaces IS NOT NULL;
