-- Finds the contacts that were added to a static segment of the current organization.
--
-- Arguments:
--   segment     the id of the segment
--   batch_size  the largest number of contacts that the caller can use
-- Result: the ids of the contacts. Null if there are more than batch_size ids: the caller then reads the contacts in
--   order, which finds the first matches sooner.
-- Locks: none.
create or replace function public.find_segment_contacts(segment text, batch_size integer) returns text[]
language sql stable
set search_path = pg_catalog, pg_temp as $$
select case when count(*) <= batch_size then coalesce(array_agg(m.contact_id), '{}') end from (
  select m.contact_id from public.segment_members m
  where m.organization_id = public.current_organization() and m.segment_id = segment limit batch_size + 1
) m
$$;
