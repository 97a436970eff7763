-- Whose fault the end of an attempt was, how long a returned run rests, and workers that are set aside.
ALTER TABLE attempt ADD COLUMN failure TEXT NOT NULL DEFAULT 'none';
ALTER TABLE run ADD COLUMN failure TEXT NOT NULL DEFAULT 'none';  -- of its end or of its latest return
ALTER TABLE run ADD COLUMN rests_until INTEGER;
ALTER TABLE worker ADD COLUMN aside_until INTEGER;
ALTER TABLE worker ADD COLUMN aside_why TEXT NOT NULL DEFAULT '';
