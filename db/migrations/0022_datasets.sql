-- Every data set of a sweep: what it trains on, and those that its file names, each with its role.
CREATE TABLE sweep_dataset (
  sweep   INTEGER NOT NULL REFERENCES sweep (id),
  dataset INTEGER NOT NULL REFERENCES dataset (id),
  role    TEXT NOT NULL,
  PRIMARY KEY (sweep, dataset, role)
) STRICT, WITHOUT ROWID;
CREATE INDEX sweep_dataset_by_dataset ON sweep_dataset (dataset, sweep);
INSERT INTO sweep_dataset (sweep, dataset, role) SELECT id, dataset, 'train' FROM sweep WHERE dataset IS NOT NULL;
