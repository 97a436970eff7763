-- The place of the continued run among all runs of the sweep, where its rule chose it.
ALTER TABLE trial ADD COLUMN fork_place INTEGER;
ALTER TABLE trial ADD COLUMN fork_rivals INTEGER;
