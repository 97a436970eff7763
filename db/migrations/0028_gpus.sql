-- The memory of each GPU of a worker: JSON, bytes; empty where it is not known.
ALTER TABLE worker ADD COLUMN gpu_memory TEXT NOT NULL DEFAULT '[]';
