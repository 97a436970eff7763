-- How many slots an attempt got, and why no more (JSON); empty where resources.cpus is a number.
ALTER TABLE attempt ADD COLUMN width TEXT NOT NULL DEFAULT '';
