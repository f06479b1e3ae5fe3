-- Trigger after each INSERT and UPDATE statement on contacts: lists the written contacts for the comparison with
-- segments.
--
-- Arguments: none.
-- Result: nothing. It writes nothing for organizations without a dynamic segment.
-- Locks: only the new rows.
create or replace function private.mark_segment_changes() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
begin
  insert into public.segment_changes (organization_id, contact_id)
  select w.organization_id, w.id from written w
  where exists (select from public.segments s where s.organization_id = w.organization_id and s.kind = 'dynamic')
  on conflict do nothing;
  return null;
end
$$;
