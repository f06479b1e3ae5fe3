-- Estimates how many bytes on disk the data of an organization occupies. Indexes do not count.
--
-- Arguments:
--   of_organization  the organization
--   contacts, runs   how many contacts and runs the organization has
--   sample           when the organization has more contacts or runs, about this many of them are read, at random
-- Result: the bytes. Compressed values count with their compressed size. Each row counts with some bytes for its short
--   columns. These rows count:
--   - contacts, aliases, members of segments, the data that undoes merges
--   - decisions about topics, the log of consent, suppressed addresses
--   - messages, digests, templates
--   - runs with their steps and files, versions of workflows, webhook deliveries, emitted events
--   - uploads of contacts with their rejected rows, and the identifiers in the rows of running imports
--   - results that are kept for idempotency keys
-- Locks: none.
--
-- pg_column_size() of a large value reads the pointer to the value and not the value itself. Each chosen row is looked
-- up by its key. The planner does not know that few rows are chosen, and would read the whole table. Each call is
-- planned anew: a plan for an empty table would later compare each chosen row with all rows of the organization.
create or replace function private.stored_bytes(of_organization text, contacts bigint, runs bigint, sample integer)
returns bigint
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan as $$
declare
  total double precision := 0;
  bytes double precision;
  part double precision;
begin
  part := least(1.0, sample::float8 / greatest(1, contacts));
  with chosen as materialized (
    select c.id from public.contacts c where c.organization_id = of_organization and (part = 1 or random() < part)
  )
  select coalesce(sum(r.size), 0) / part into bytes from chosen cross join lateral (
    select 200 + 2 * pg_column_size(c.search_text) + pg_column_size(c.tags) + pg_column_size(c.properties)
      + pg_column_size(c.consent) as size
    from public.contacts c where c.organization_id = of_organization and c.id = chosen.id limit 1
  ) r;
  total := total + bytes;

  select least(1.0, sample::float8 / greatest(1, count(*))) into part
  from public.messages m where m.organization_id = of_organization;
  with chosen as materialized (
    select m.id from public.messages m where m.organization_id = of_organization and (part = 1 or random() < part)
  )
  select coalesce(sum(r.size), 0) / part into bytes from chosen cross join lateral (
    select 300 + coalesce(pg_column_size(m.subject), 0) + pg_column_size(m.body)
      + coalesce(pg_column_size(m.html), 0) + coalesce(pg_column_size(m.envelope), 0) as size
    from public.messages m where m.organization_id = of_organization and m.id = chosen.id limit 1
  ) r;
  total := total + bytes;

  part := least(1.0, sample::float8 / greatest(1, runs));
  with chosen as materialized (
    select w.id from public.workflow_runs w where w.organization_id = of_organization and (part = 1 or random() < part)
  )
  select coalesce(sum(r.size + s.size), 0) / part into bytes from chosen cross join lateral (
    select 300 + pg_column_size(w.payload) + coalesce(pg_column_size(w.request), 0)
      + coalesce(pg_column_size(w.answer), 0) as size
    from public.workflow_runs w where w.organization_id = of_organization and w.id = chosen.id limit 1
  ) r cross join lateral (
    select coalesce(sum(150 + coalesce(pg_column_size(s.input), 0) + coalesce(pg_column_size(s.output), 0)
      + coalesce(pg_column_size(s.error), 0) + coalesce(pg_column_size(s.failed_attempts), 0)
      + coalesce(pg_column_size(s.progress), 0) + coalesce(pg_column_size(s.cut), 0)), 0) as size
    from public.run_steps s where s.organization_id = of_organization and s.run_id = chosen.id
  ) s;
  total := total + bytes;

  select least(1.0, sample::float8 / greatest(1, count(*))) into part
  from public.idempotency_keys k where k.organization_id = of_organization;
  select coalesce(sum(200 + coalesce(pg_column_size(k.result), 0)), 0) / part into bytes
  from public.idempotency_keys k where k.organization_id = of_organization and (part = 1 or random() < part);
  total := total + bytes;

  select coalesce(sum(150 + pg_column_size(v.steps) + coalesce(pg_column_size(v.content), 0)), 0) into bytes
  from public.workflow_versions v where v.organization_id = of_organization;
  total := total + bytes;

  select coalesce(sum(200 + pg_column_size(t.content) + pg_column_size(t.compiled)), 0) into bytes
  from public.template_versions t where t.organization_id = of_organization;
  total := total + bytes;

  select coalesce(sum(200 + pg_column_size(d.headers) + coalesce(pg_column_size(d.body), 0)
    + pg_column_size(d.mistakes)), 0) into bytes
  from public.webhook_deliveries d where d.organization_id = of_organization;
  total := total + bytes;

  select 300 * count(*) into bytes
  from (
    select from public.files f where f.organization_id = of_organization limit 1000000
  ) f;
  total := total + bytes;

  -- The sizes in the rows of files and imports are not used, because SQL of a tool can store any size. For each chunk
  -- of a file, octet_length() reads only the pointer to the bytes, as pg_column_size() does.
  select coalesce(sum(100 + octet_length(c.bytes)), 0) into bytes
  from (
    select c.bytes from public.file_chunks c where c.organization_id = of_organization limit 1000000
  ) c;
  total := total + bytes;

  select coalesce(sum(100 + octet_length(c.bytes)), 0) into bytes
  from (
    select c.bytes from public.import_chunks c where c.organization_id = of_organization limit 1000000
  ) c;
  total := total + bytes;

  select 500 * count(*) into bytes from public.imports i where i.organization_id = of_organization;
  total := total + bytes;

  select least(1.0, sample::float8 / greatest(1, count(*))) into part
  from public.import_faults f where f.organization_id = of_organization;
  with chosen as materialized (
    select f.import_id, f.generation, f.row from public.import_faults f
    where f.organization_id = of_organization and (part = 1 or random() < part)
  )
  select coalesce(sum(r.size), 0) / part into bytes from chosen cross join lateral (
    select 100 + pg_column_size(f.cells) + pg_column_size(f.reasons) as size from public.import_faults f
    where f.organization_id = of_organization and f.import_id = chosen.import_id and f.generation = chosen.generation
      and f.row = chosen.row limit 1
  ) r;
  total := total + bytes;

  select 150 * count(*) into bytes from public.import_keys k where k.organization_id = of_organization;
  total := total + bytes;

  select coalesce(sum(150 + pg_column_size(e.data_preview)), 0) into bytes
  from (
    select data_preview from public.custom_events e where e.organization_id = of_organization limit 100000
  ) e;
  total := total + bytes;

  select coalesce(sum(200 + coalesce(pg_column_size(g.undo), 0) + coalesce(pg_column_size(g.moved), 0)), 0) into bytes
  from (
    select undo, moved from public.contact_merges g where g.organization_id = of_organization limit 100000
  ) g;
  total := total + bytes;

  select 120 * count(*) into bytes
  from (
    select from public.segment_members m where m.organization_id = of_organization limit 1000000
  ) m;
  total := total + bytes;

  select least(1.0, sample::float8 / greatest(1, count(*))) into part
  from public.consent_changes c where c.organization_id = of_organization;
  with chosen as materialized (
    select c.contact_id, c.id from public.consent_changes c
    where c.organization_id = of_organization and (part = 1 or random() < part)
  )
  select coalesce(sum(r.size), 0) / part into bytes from chosen cross join lateral (
    select 150 + octet_length(concat(c.name, c.from_state, c.to_state, c.source)) + coalesce(pg_column_size(c.evidence), 0)
      as size from public.consent_changes c
    where c.organization_id = of_organization and c.contact_id = chosen.contact_id and c.id = chosen.id limit 1
  ) r;
  total := total + bytes;

  select least(1.0, sample::float8 / greatest(1, count(*))) into part
  from public.topic_subscriptions s where s.organization_id = of_organization;
  with chosen as materialized (
    select s.contact_id, s.topic from public.topic_subscriptions s
    where s.organization_id = of_organization and (part = 1 or random() < part)
  )
  select coalesce(sum(r.size), 0) / part into bytes from chosen cross join lateral (
    select 150 + octet_length(concat(s.topic, s.source, s.confirmation_id, s.confirmation_address))
      + coalesce(pg_column_size(s.evidence), 0) as size from public.topic_subscriptions s
    where s.organization_id = of_organization and s.contact_id = chosen.contact_id and s.topic = chosen.topic limit 1
  ) r;
  total := total + bytes;

  select coalesce(sum(100 + coalesce(pg_column_size(d.subject), 0) + coalesce(pg_column_size(d.body), 0)
    + coalesce(pg_column_size(d.html), 0) + pg_column_size(d.variables) + pg_column_size(d.items)), 0) into bytes
  from (
    select subject, body, html, variables, items from public.message_digests d
    where d.organization_id = of_organization limit 100000
  ) d;
  total := total + bytes;

  select 200 * count(*) into bytes
  from (
    select from public.suppressed_addresses s where s.organization_id = of_organization limit 1000000
  ) s;
  total := total + bytes;

  select 150 * count(*) into bytes
  from (
    select from public.contact_aliases a where a.organization_id = of_organization limit 1000000
  ) a;
  total := total + bytes;

  select coalesce(sum(200 + pg_column_size(t.draft)), 0) into bytes
  from public.templates t where t.organization_id = of_organization;
  return total + bytes;
end
$$;
