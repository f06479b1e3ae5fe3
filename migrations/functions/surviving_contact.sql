-- Finds the contact that a merged contact has become, or the contact that has an e-mail address, and locks it.
--
-- Arguments:
--   of_contact  the id of a contact that was merged, or null
--   of_email    a lowercase e-mail address, or null. The address is used when no contact is found by the id.
-- Result: the id of the contact, or null.
-- Locks: the contact, against deletion, until the transaction ends.
--
-- A statement that inserts a row for a contact first locks the contact by its id. If the statement had to wait for a
-- merge, the contact no longer exists. The statement does not see what the merge has written, because its snapshot is
-- older. Each statement of this function has a new snapshot.
create or replace function public.surviving_contact(of_contact text, of_email text) returns text
language plpgsql volatile
set search_path = pg_catalog, pg_temp as $$
declare
  organization constant text := public.current_organization();
  survivor text;
begin
  -- During the wait, the survivor itself can be merged again.
  for attempt in 1 .. 5 loop
    select m.survivor_id into survivor from public.contact_merges m
    where m.organization_id = organization and m.merged_id = of_contact;
    -- The merged contact exists again when its merge was undone during the wait.
    perform from public.contacts c
    where c.organization_id = organization and c.id = coalesce(survivor, of_contact) for key share;
    if found then return coalesce(survivor, of_contact); end if;
    if survivor is null then
      if of_email is null then return null; end if;
      select c.id into survivor from public.contacts c where c.organization_id = organization and c.email = of_email;
      if survivor is null then
        select a.contact_id into survivor from public.contact_aliases a
        where a.organization_id = organization and a.kind = 'email' and a.value = of_email;
      end if;
      if survivor is null then return null; end if;
      perform from public.contacts c where c.organization_id = organization and c.id = survivor for key share;
      if found then return survivor; end if;
    end if;
  end loop;
  return null;
end
$$;
