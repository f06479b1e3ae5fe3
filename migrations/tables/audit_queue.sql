-- Stores entries of the audit log that are not in the chain yet. gate.seal_audit_log() empties it. The table has no
-- index, because it is nearly empty and every audited change adds a row.
create table private.audit_queue (
  organization_id text collate "C" not null,
  at timestamptz(3) not null,
  id bigint not null
) with (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0);
