-- Values of a report's further objectives: a JSON array in the order of the sweep file, null where the sweep has one objective.
ALTER TABLE report ADD COLUMN further TEXT;
