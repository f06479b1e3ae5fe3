-- Trigger function: keeps an address or external id of a contact from being an alias of another contact.
--
-- Arguments: none (row trigger on contacts, before insert and before an update of an address).
-- Result: the row. Null for an insert whose address is an alias: the row is skipped, as ON CONFLICT DO NOTHING would
--   do. An update gets error 23505 with the name of the unique key of the address. An alias of the same
--   contact is deleted, because it becomes the address of the contact.
-- Locks: one of 64 advisory locks of the organization for each address, shared, until the transaction ends.
--
-- claim_alias() does the same for aliases, and takes the same lock exclusively. Without the lock, two transactions
-- could store one address as the address of a contact and as an alias of another. Neither of them sees the other's row.
-- The lock and the look-up are separate statements, so the look-up sees what was committed during the wait.
create or replace function private.claim_contact_addresses() returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  taken text;
  place constant integer := hashtext('contact addresses ' || new.organization_id);
  -- The results of the locks are assigned to this variable, because PERFORM would take ten times as long: it would plan
  -- a statement for each contact of an import.
  locked text;
begin
  if new.email is not null then locked := pg_advisory_xact_lock_shared(place, hashtext(new.email) & 63); end if;
  if new.phone is not null then locked := pg_advisory_xact_lock_shared(place, hashtext(new.phone) & 63); end if;
  if new.external_id is not null then locked := pg_advisory_xact_lock_shared(place, hashtext(new.external_id) & 63); end if;
  if tg_op = 'UPDATE' then
    delete from public.contact_aliases a
    where a.organization_id = new.organization_id and a.contact_id = new.id
      and (a.kind = 'email' and a.value = new.email or a.kind = 'phone' and a.value = new.phone
      or a.kind = 'external_id' and a.value = new.external_id);
  end if;
  select a.kind into taken from public.contact_aliases a
  where a.organization_id = new.organization_id
    and (a.kind = 'email' and a.value = new.email or a.kind = 'phone' and a.value = new.phone
      or a.kind = 'external_id' and a.value = new.external_id)
  order by a.kind limit 1;
  if taken is null then return new; end if;
  if tg_op = 'INSERT' then return null; end if;
  raise exception 'The address is an alias of another contact.' using errcode = '23505',
    schema = 'public', table = 'contacts', constraint = 'contacts_organization_id_' || taken || '_key';
end
$$;
