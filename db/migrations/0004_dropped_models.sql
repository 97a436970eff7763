-- When the rule of its sweep let a checkpoint go: its row stays, as a link of the lineage; its bytes may be deleted. Found by
-- content when the blobs are looked through.
ALTER TABLE model ADD COLUMN dropped_at INTEGER;
CREATE INDEX model_by_content ON model (sha256);
