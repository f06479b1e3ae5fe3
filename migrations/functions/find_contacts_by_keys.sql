-- Finds the contacts of the current organization that can match conditions on tags and properties, by index.
--
-- Arguments:
--   tags        the tags
--   properties  the properties with their values
--   names       the names of properties that have a value
--   match_all   true: a contact must have all of these. False: it must have at least one of these.
--   batch_size  the largest number of contacts that the caller can use
-- Result: the ids of all contacts that match, and of others whose hashes are equal. The caller compares the values
--   again. Null if there are more than batch_size of these contacts, or if so many are very likely: the caller then
--   reads the contacts in order, which finds the first matches sooner.
-- Locks: none.
--
-- Under row-level security, conditions on tags and properties cannot use an index, because the operators of these
-- conditions are not leakproof. This function runs as the owner and compares the organization itself.
create or replace function public.find_contacts_by_keys(
  tags text[], properties jsonb, names text[], match_all boolean, batch_size integer)
returns text[]
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  organization constant text := public.current_organization();
  seed constant bigint := hashtextextended(organization collate "C", 0);
  wanted constant bigint[] := array(
    select hashtextextended('t' || t collate "C", seed) from unnest(tags) t
    union all
    select hashtextextended('p' || n collate "C", seed) from unnest(names) n
    union all
    select jsonb_hash_extended(p -> 1, hashtextextended('v' || (p ->> 0) collate "C", seed))
    from jsonb_array_elements(properties) p);
  found text[];
begin
  if organization is null or cardinality(wanted) = 0 then return null; end if;
  -- A sample of 20 contacts shows whether many contacts have these keys. If so, a search with the index would first
  -- collect all of them, which is slower. The sample is random, because ids are random.
  if (
    select count(*) filter (where case when match_all then s.keys @> wanted else s.keys && wanted end) > 3 and count(*) = 20
    from (
      select private.contact_filter_keys(c.organization_id, c.tags, c.properties) as keys from public.contacts c
      where c.organization_id = organization order by c.id limit 20) s
  ) then return null; end if;
  -- IS TRUE keeps the plan from combining this condition with an index scan over all contacts of the organization.
  if match_all then
    found := array(
      select c.id from public.contacts c
      where (c.organization_id = organization) is true
        and private.contact_filter_keys(c.organization_id, c.tags, c.properties) @> wanted
      limit batch_size + 1);
  else
    found := array(
      select c.id from public.contacts c
      where (c.organization_id = organization) is true
        and private.contact_filter_keys(c.organization_id, c.tags, c.properties) && wanted
      limit batch_size + 1);
  end if;
  return case when cardinality(found) <= batch_size then found end;
end
$$;
