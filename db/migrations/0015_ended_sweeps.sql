-- Sweeps that ended and left the server's memory, as bytes (server/engine/ended_sweeps.hpp). Made from the events and made
-- again from them when another build of hone opens the file. A sweep that changed after it left has several rows; the
-- newest one up to an event holds its state at that event.
CREATE TABLE ended_sweep (
  sweep    INTEGER NOT NULL,
  seq      INTEGER NOT NULL,  -- the newest event when it left
  stamp    TEXT NOT NULL,     -- of the build that wrote the bytes
  checksum INTEGER NOT NULL,  -- of the bytes
  state    BLOB NOT NULL,
  PRIMARY KEY (sweep, seq, stamp)  -- so that the index alone lists the rows of a build
) STRICT;
