-- Stores the chain of each organization's audit log: its end, and its beginning after a purge. The row stays when the
-- organization is deleted.
create table private.audit_chains (
  organization_id text collate "C" constraint audit_chains_pkey primary key,
  -- The number of entries that were ever chained, and the hash of the last one.
  position bigint not null,
  hash bytea not null,
  -- The last entry that a purge deleted. The chain of the kept entries begins with its hash.
  anchor_position bigint not null default 0,
  anchor_hash bytea not null,
  anchor_at timestamptz(3)
);
