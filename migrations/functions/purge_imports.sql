-- Deletes one batch of data of ended imports: the identifiers of rows immediately, everything else after keep_days.
--
-- Arguments:
--   keep_days   imports are deleted with their files this many days after their end, or after the upload if they never
--               started
--   batch_size  the largest number of rows to delete
-- Result: how many rows were deleted.
-- Locks: the deleted rows. Rows that other transactions have locked are skipped.
--
-- An upload that did not end within a day was interrupted, and is deleted too.
create or replace function gate.purge_imports(keep_days integer, batch_size integer) returns integer
language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
declare
  deleted integer;
begin
  with unused as materialized (
    select k.organization_id, k.import_id, k.generation, k.key from public.imports i
    join public.import_keys k on k.organization_id = i.organization_id and k.import_id = i.id
    where i.status <> 'running' or k.generation < i.generation
    limit batch_size for update of k skip locked
  ) delete from public.import_keys k using unused
  where k.organization_id = unused.organization_id and k.import_id = unused.import_id
    and k.generation = unused.generation and k.key = unused.key;
  get diagnostics deleted = row_count;
  if deleted > 0 then return deleted; end if;
  with unused as materialized (
    select f.organization_id, f.import_id, f.generation, f.row from public.imports i
    join public.import_faults f on f.organization_id = i.organization_id and f.import_id = i.id
    where f.generation < i.generation
      or i.status <> 'running' and coalesce(i.finished_at, i.created_at) < now() - make_interval(days => keep_days)
    limit batch_size for update of f skip locked
  ) delete from public.import_faults f using unused
  where f.organization_id = unused.organization_id and f.import_id = unused.import_id
    and f.generation = unused.generation and f.row = unused.row;
  get diagnostics deleted = row_count;
  if deleted > 0 then return deleted; end if;
  with expired as materialized (
    select i.organization_id, i.id from public.imports i
    where i.status <> 'running' and coalesce(i.finished_at, i.created_at) < now() - make_interval(days => keep_days)
      or i.status = 'uploading' and i.created_at < now() - interval '1 day'
    limit greatest(1, batch_size / 100) for update of i skip locked
  ) delete from public.imports i using expired where i.organization_id = expired.organization_id and i.id = expired.id;
  get diagnostics deleted = row_count;
  return deleted;
end
$$;
