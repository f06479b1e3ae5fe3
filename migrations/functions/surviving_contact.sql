-- Finds the contact that a merged contact has become, or the contact that has an e-mail address, and locks it.
--
-- Arguments:
--   of_contact  the id of a contact, or null. The id of a merged contact means the survivor.
--   of_email    a lowercase e-mail address, or null. The address is used when no contact is found by the id.
-- Result: the id of the contact, or null.
-- Locks: the contact, against deletion, until the transaction ends. Also locks a contact that lost the id or the address
--   while this function waited.
--
-- A statement that inserts a row for a contact first locks the contact by its id. If the statement had to wait for a
-- merge, the contact no longer exists. The statement does not see what the merge has written, because its snapshot is
-- older. Each statement of this function has a new snapshot.
create or replace function public.surviving_contact(of_contact text, of_email text) returns text
language plpgsql volatile
set search_path = pg_catalog, pg_temp as $$
declare
  organization constant text := public.current_organization();
  found_id text;
  locked_id text;
begin
  -- During each wait, the contact can be merged again, or the end of a merge can return the id or the address to the
  -- restored contact. Without the second look-up, STOP from the restored contact would be recorded for the survivor.
  for attempt in 1 .. 6 loop
    select coalesce(
      (select m.survivor_id from public.contact_merges m
       where m.organization_id = organization and m.merged_id = of_contact),
      (select c.id from public.contacts c where c.organization_id = organization and c.id = of_contact),
      (select c.id from public.contacts c where c.organization_id = organization and c.email = of_email),
      (select a.contact_id from public.contact_aliases a
       where a.organization_id = organization and a.kind = 'email' and a.value = of_email)
    ) into found_id;
    if found_id is null or found_id = locked_id then return found_id; end if;
    perform from public.contacts c where c.organization_id = organization and c.id = found_id for key share;
    locked_id := case when found then found_id end;
  end loop;
  return null;
end
$$;
