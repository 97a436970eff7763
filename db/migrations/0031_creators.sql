-- The name of the token with which a user enqueued the trial; null if the sampler proposed it, or without tokens.
ALTER TABLE trial ADD COLUMN creator TEXT;
