-- What a request id was used for. A second request with the same id is a repetition of the first, whose reply was lost, or a
-- mistake of its client. No event has it, so a rebuild of the query tables keeps it.
CREATE TABLE request (
  id     TEXT PRIMARY KEY,
  digest TEXT NOT NULL  -- SHA-256 of its method, path and body
) STRICT, WITHOUT ROWID;
