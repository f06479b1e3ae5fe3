-- Stores a seal of the audit log, and the new end of its chain.
--
-- Arguments:
--   chain  the chain, with its new position and hash; nothing is stored when it is null
--   seal   the seal
-- Result: nothing.
-- Locks: the chain.
create or replace function private.store_seal(chain private.audit_chains, seal private.audit_seals) returns void
language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
  if chain.organization_id is null then
    return;
  end if;
  insert into private.audit_seals select seal.*;
  update private.audit_chains c set position = chain.position, hash = chain.hash
  where c.organization_id = chain.organization_id;
end
$$;
