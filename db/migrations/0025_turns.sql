-- Why an attempt got its slots before other sweeps (JSON), and what workers announce besides slots.
ALTER TABLE attempt ADD COLUMN turn TEXT NOT NULL DEFAULT '';
ALTER TABLE worker ADD COLUMN memory INTEGER NOT NULL DEFAULT 0;
ALTER TABLE worker ADD COLUMN labels TEXT NOT NULL DEFAULT '[]';
