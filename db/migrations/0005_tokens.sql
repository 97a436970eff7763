-- Who may speak to the server. The secret is never here: only its digest.
CREATE TABLE token (
  id         INTEGER PRIMARY KEY,
  name       TEXT NOT NULL,
  scopes     TEXT NOT NULL,     -- words: 'read submit'
  sha256     TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  created_by INTEGER,           -- the token that asked for it; null: a server's or an administrator's own hand
  expires_at INTEGER,
  revoked_at INTEGER,
  revoked_by INTEGER
) STRICT;

-- The token that joined a worker; null where none was asked for.
ALTER TABLE worker ADD COLUMN token INTEGER;
