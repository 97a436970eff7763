-- The code that a worker found when an attempt had ended, where it was not what it had found at its start.
ALTER TABLE attempt ADD COLUMN workflow_at_end INTEGER REFERENCES workflow (id);

-- How the code of an attempt differs from that of its sweep's submission: words out of "commit patch environment hone during".
-- Compares only what both name. during: it changed between the start and the end of the attempt.
DROP VIEW attempt_code;
CREATE VIEW attempt_code (lease, workflow, differs) AS
SELECT a.lease, a.workflow, rtrim(
    iif(c.git_commit <> '' AND f.git_commit <> '' AND c.git_commit <> f.git_commit, 'commit ', '')
    || iif(c.git_commit <> '' AND f.git_commit <> '' AND c.patch_sha256 <> f.patch_sha256, 'patch ', '')
    || iif(c.environment_sha256 <> '' AND f.environment_sha256 <> '' AND c.environment_sha256 <> f.environment_sha256,
           'environment ', '')
    || iif(f.hone_version <> '' AND (c.hone_version <> f.hone_version
           OR (c.hone_commit <> '' AND f.hone_commit <> '' AND c.hone_commit <> f.hone_commit)), 'hone ', '')
    || iif(a.workflow_at_end IS NULL, '', 'during '))
  FROM attempt a JOIN workflow c ON c.id = a.workflow JOIN sweep s ON s.id = a.sweep JOIN workflow f ON f.id = s.workflow;
