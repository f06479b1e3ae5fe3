-- Chooses and locks queued runs in equal shares: first runs of the given organizations, then runs of all other
-- organizations in the order of their ids. The order begins after the organization that had the last turn. After the
-- last id, it continues with the first id.
--
-- Arguments:
--   batch_size           the largest number of runs
--   share                as in claim_runs
--   first_organizations  organizations whose runs were recovered from a dead worker; they come first
-- Result: the ids of the runs, in the order in which they are to start.
-- Locks: the chosen runs. Runs that other transactions have locked are skipped.
--
-- The cost grows with batch_size and not with the number of queued runs: the loop reads the first entry of each
-- organization in the index workflow_runs_due_idx. It looks at one organization more than it can serve, because all
-- runs of one of them may be locked. When these organizations have too few runs that can be claimed, it continues
-- with the next organizations, for at most 0.2 s. Otherwise, the next claim would look at the same organizations
-- again, and later ones would wait. SQL of a tool can hold the locks of millions of runs, and skipping them all would
-- take seconds. So the function skips at most 1,000 locked runs of each organization. It looks up each run by its
-- ctid, because a plan that is made for an empty table could read a whole index for each run. PostgreSQL keeps the
-- query plans, and they must not sort: see claim_messages.sql.
create or replace function private.choose_runs(batch_size integer, share jsonb, first_organizations text[])
returns text[]
language plpgsql
set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan set enable_sort = off as $$
declare
  last_turn constant text collate "C" := coalesce(share ->> 'after', '');
  started_at constant timestamptz := clock_timestamp();
  at_organization text collate "C" := last_turn;
  pending text[] := first_organizations;
  wrapped boolean := false;
  organization text collate "C";
  due_at timestamptz;
  room integer;
  organizations text[];
  rooms integer[];
  chosen text[] := '{}';
  found_ids text[];
  part integer;
begin
  loop
    organizations := '{}';
    rooms := '{}';
    while cardinality(organizations) <= batch_size loop
      if cardinality(pending) > 0 then
        organization := pending[1];
        pending := pending[2:];
        due_at := now();
      else
        -- Each search is one look-up in the index. It finds the first entry of the next organization, without
        -- reading the other entries of the previous one.
        select r.organization_id, r.available_at into organization, due_at from public.workflow_runs r
        where r.status = 'queued' and r.delayed_by is null and r.organization_id > at_organization
        order by r.organization_id, r.available_at limit 1;
        if not found then
          exit when wrapped or last_turn = '';
          wrapped := true;
          at_organization := '';
          continue;
        end if;
        exit when wrapped and organization > last_turn;
        at_organization := organization;
        continue when organization = any (first_organizations);
      end if;
      room := coalesce((share -> 'rooms' ->> organization)::integer, (share ->> 'room')::integer, batch_size);
      if due_at <= now() and room > 0 then
        organizations := organizations || organization;
        rooms := rooms || room;
      end if;
    end loop;
    -- The first pass gives each organization an equal share. The second pass gives unused shares to other
    -- organizations.
    for pass in 1..2 loop
      for turn in 1..cardinality(organizations) loop
        part := batch_size - cardinality(chosen);
        if pass = 1 then
          part := ceil(part::numeric / (cardinality(organizations) - turn + 1));
        end if;
        part := least(part, rooms[turn]);
        continue when part <= 0;
        found_ids := array(
          select locked.id from (
            select r.ctid as place from public.workflow_runs r
            where r.status = 'queued' and r.delayed_by is null and r.organization_id = organizations[turn]
              and r.available_at <= now() and r.id <> all (chosen)
            order by r.available_at limit part + 1000
          ) due cross join lateral (
            select r.id from public.workflow_runs r
            where r.ctid = due.place and r.status = 'queued' and r.delayed_by is null
              and r.available_at <= now()
            for update skip locked
          ) locked limit part);
        chosen := chosen || found_ids;
        rooms[turn] := case when cardinality(found_ids) < part then 0 else rooms[turn] - part end;
      end loop;
    end loop;
    exit when cardinality(chosen) >= batch_size or cardinality(organizations) <= batch_size
      or clock_timestamp() > started_at + interval '200 ms';
  end loop;
  return chosen;
end
$$;
