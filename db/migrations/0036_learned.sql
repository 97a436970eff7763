-- How many trials of each sweep of search.warm_start a sweep learned from: a JSON list, '' for none.
ALTER TABLE sweep ADD COLUMN learned TEXT NOT NULL DEFAULT '';
