-- The hash chain of the ledger (db/ledger/chain.hpp): SHA-256 of the link before and of this row. Null in the rows that are older
-- than this column.
ALTER TABLE event ADD COLUMN link BLOB;
