-- Stores a row for each batch of chained entries of the audit log. The hash of an entry is the SHA-256 of the hash of
-- the entry before it and of all columns of the entry.
create table private.audit_seals (
  organization_id text collate "C" not null,
  -- The position of the last entry of the batch.
  last_position bigint not null,
  entry_ids bigint[] not null,
  hashes bytea[] not null,
  first_at timestamptz(3) not null,
  last_at timestamptz(3) not null,
  sealed_at timestamptz(3) not null default now(),
  constraint audit_seals_pkey primary key (organization_id, last_position)
);
