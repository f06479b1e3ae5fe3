-- Finds the contacts of the current organization whose search text contains one of two texts, by index.
--
-- Arguments:
--   wanted      the text, in lowercase
--   other       a second text that also matches, or null
--   batch_size  the largest number of contacts that the caller can use
-- Result: the ids of all matches. Null if there are more than batch_size matches, if so many matches are very likely,
--   or if a text is shorter than three characters. The caller then reads the contacts in order, which finds the first
--   matches sooner.
-- Locks: none.
--
-- Under row-level security, a condition on the search text cannot use an index, because the operators of the condition
-- are not leakproof. This function runs as the owner and compares the organization itself.
create or replace function public.find_contact_ids(wanted text, other text, batch_size integer)
returns text[]
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  organization text := public.current_organization();
  wanted_keys bigint[] := private.contact_search_keys(organization, wanted, 3);
  other_keys bigint[] := private.contact_search_keys(organization, other, 3);
  found text[];
begin
  if cardinality(wanted_keys) = 0 or cardinality(other_keys) = 0 then return null; end if;
  -- A sample of 20 contacts shows whether many contacts contain the text. If so, a search with the index would first
  -- collect all of them, which is slower. The sample is random, because ids are random.
  if (
    select count(*) filter (where strpos(s.search_text, wanted) > 0 or strpos(s.search_text, other) > 0) > 3
      and count(*) = 20
    from (
      select c.search_text from public.contacts c
      where c.organization_id = organization order by c.id limit 20) s
  ) then return null; end if;
  found := array(
    select c.id from public.contacts c
    -- IS TRUE keeps the plan from combining this condition with an index scan over all contacts of the organization.
    where (c.organization_id = organization) is true
      and (private.contact_search_keys(c.organization_id, c.search_text, 1) @> wanted_keys
        or private.contact_search_keys(c.organization_id, c.search_text, 1) @> other_keys)
      -- Hashes can collide, so the text itself decides.
      and (strpos(c.search_text, wanted) > 0 or strpos(c.search_text, other) > 0)
    limit batch_size + 1);
  return case when cardinality(found) <= batch_size then found end;
end
$$;
