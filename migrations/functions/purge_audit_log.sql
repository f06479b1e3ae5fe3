-- Deletes the oldest entries of an audit log with their seals, and stores where the chain of the kept entries begins.
--
-- Arguments:
--   of_organization  the organization
--   before           a seal is deleted only when all its entries are older than this time
--   batch_size       about the largest number of entries to delete; a seal is never split
-- Result: how many entries were deleted.
-- Locks: the deleted rows and the chain.
--
-- Entries younger than 90 days are kept, whatever the caller says.
create or replace function private.purge_audit_log(of_organization text, before timestamptz, batch_size integer)
returns integer
language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  limit_at constant timestamptz := least(before, now() - interval '90 days');
  seal private.audit_seals;
  gone integer;
  deleted integer := 0;
begin
  for seal in
    select s.* from private.audit_seals s where s.organization_id = of_organization order by s.last_position limit batch_size
  loop
    exit when seal.last_at >= limit_at or deleted >= batch_size;
    delete from public.audit_log a
    where a.organization_id = of_organization and a.at between seal.first_at and seal.last_at
      and a.id = any (seal.entry_ids);
    get diagnostics gone = row_count;
    deleted := deleted + gone;
    delete from private.audit_seals s
    where s.organization_id = of_organization and s.last_position = seal.last_position;
    update private.audit_chains c
    set anchor_position = seal.last_position, anchor_hash = seal.hashes[cardinality(seal.hashes)], anchor_at = seal.last_at
    where c.organization_id = of_organization;
  end loop;
  return deleted;
end
$$;
