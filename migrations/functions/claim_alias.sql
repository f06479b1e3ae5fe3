-- Trigger function: keeps an alias from being the address of a contact.
--
-- Arguments: none (row trigger on contact_aliases, before insert).
-- Result: the row. Error 23505 with the primary key of contact_aliases when a contact has the address.
-- Locks: one of 64 advisory locks of the organization, exclusively, until the transaction ends. It waits for
--   transactions that store a contact whose address has the same lock: see claim_contact_addresses().
create or replace function private.claim_alias() returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
  perform pg_advisory_xact_lock(hashtext('contact addresses ' || new.organization_id), hashtext(new.value) & 63);
  if exists (
    select from public.contacts c
    where c.organization_id = new.organization_id
      and (new.kind = 'email' and c.email = new.value or new.kind = 'phone' and c.phone = new.value
        or new.kind = 'external_id' and c.external_id = new.value collate "default")
  ) then
    raise exception 'The address is that of a contact.' using errcode = '23505',
      schema = 'public', table = 'contact_aliases', constraint = 'contact_aliases_pkey';
  end if;
  return new;
end
$$;
