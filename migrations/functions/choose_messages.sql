-- Chooses and locks due messages in equal shares for all organizations. Without equal shares, messages of one
-- organization that wait for a slow provider would occupy every slot of a worker. The order of organizations is that of
-- choose_runs.sql.
--
-- Arguments:
--   batch_size  the largest number of messages
--   share       as in claim_runs.sql
-- Result: organizations and ids, two arrays of the same length.
-- Locks: the chosen messages. Messages that other transactions have locked are skipped.
--
-- The cost grows with batch_size and the number of organizations with unfinished messages, not with the number of
-- messages: the loop reads the first entry of each organization in the index messages_due_idx. Messages that are
-- being sent stay in this index. When the first organizations have too few messages that can be claimed, the function
-- continues with the next organizations, for at most 0.2 s, for the reason that choose_runs.sql names. It looks at
-- the first 10,000 due messages of each organization and skips at most 1,000 locked ones, because SQL of a tool can
-- lease or lock millions. PostgreSQL keeps the query plans, and they must not sort: see claim_messages.sql.
create or replace function private.choose_messages(batch_size integer, share jsonb, out organizations text[], out ids text[])
language plpgsql
set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan set enable_sort = off as $$
declare
  last_turn constant text collate "C" := coalesce(share ->> 'after', '');
  started_at constant timestamptz := clock_timestamp();
  at_organization text collate "C" := last_turn;
  wrapped boolean := false;
  organization text collate "C";
  first_due_at timestamptz;
  room integer;
  waiting text[];
  rooms integer[];
  found_ids text[];
  part integer;
begin
  organizations := '{}';
  ids := '{}';
  loop
    waiting := '{}';
    rooms := '{}';
    while cardinality(waiting) <= batch_size loop
      select c.organization_id, c.due_at into organization, first_due_at from public.messages c
      where c.status in ('scheduled', 'queued', 'held', 'sending') and c.organization_id > at_organization
      order by c.organization_id, c.due_at limit 1;
      if not found then
        exit when wrapped or last_turn = '';
        wrapped := true;
        at_organization := '';
        continue;
      end if;
      exit when wrapped and organization > last_turn;
      at_organization := organization;
      room := coalesce((share -> 'rooms' ->> organization)::integer, (share ->> 'room')::integer, batch_size);
      if first_due_at <= now() and room > 0 then
        waiting := waiting || organization;
        rooms := rooms || room;
      end if;
    end loop;
    -- The first pass gives each organization an equal share. The second pass gives unused shares to other
    -- organizations.
    for pass in 1..2 loop
      for turn in 1..cardinality(waiting) loop
        part := batch_size - cardinality(ids);
        if pass = 1 then
          part := ceil(part::numeric / (cardinality(waiting) - turn + 1));
        end if;
        part := least(part, rooms[turn]);
        continue when part <= 0;
        found_ids := array(
          select locked.id from (
            select first.place from (
              select c.ctid as place, c.id, c.lease_until from public.messages c
              where c.status in ('scheduled', 'queued', 'held', 'sending') and c.organization_id = waiting[turn]
                and c.due_at <= now()
              order by c.due_at limit 10000
            ) first
            where (first.lease_until is null or first.lease_until <= now()) and first.id <> all (ids)
            limit part + 1000
          ) due cross join lateral (
            select c.id from public.messages c
            where c.ctid = due.place
              and c.status in ('scheduled', 'queued', 'held', 'sending')
              and c.due_at <= now() and (c.lease_until is null or c.lease_until <= now())
            for update skip locked
          ) locked limit part);
        ids := ids || found_ids;
        organizations := organizations || array_fill(waiting[turn], array[cardinality(found_ids)]);
        rooms[turn] := case when cardinality(found_ids) < part then 0 else rooms[turn] - part end;
      end loop;
    end loop;
    exit when cardinality(ids) >= batch_size or cardinality(waiting) <= batch_size
      or clock_timestamp() > started_at + interval '200 ms';
  end loop;
end
$$;
