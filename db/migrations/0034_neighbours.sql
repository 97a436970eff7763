-- What an attempt had next to it on its worker (JSON); empty where no such pair was measured.
ALTER TABLE attempt ADD COLUMN neighbours TEXT NOT NULL DEFAULT '';
-- Why a slot of the worker stays free (JSON); empty where none does.
ALTER TABLE worker ADD COLUMN kept_free TEXT NOT NULL DEFAULT '';
