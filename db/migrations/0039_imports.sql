-- Imports of which the last part has not come: a read sees none of their rows. A dropped one never gets it, and its rows stay.
CREATE TABLE unfinished_import (
  sweep INTEGER PRIMARY KEY,
  dropped INTEGER NOT NULL,
  -- ids that it takes, from the one after the first number to the second
  trial_after INTEGER NOT NULL,
  trial_last INTEGER NOT NULL,
  lease_after INTEGER NOT NULL,
  lease_last INTEGER NOT NULL,
  model_after INTEGER NOT NULL,
  model_last INTEGER NOT NULL,
  evaluation_after INTEGER NOT NULL,
  evaluation_last INTEGER NOT NULL
) STRICT;
