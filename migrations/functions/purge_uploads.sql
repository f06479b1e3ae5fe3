-- Deletes one batch of uploaded files that no message sends: those that are old, and those whose upload was
-- interrupted.
--
-- Arguments:
--   keep_days   files that were uploaded earlier are deleted
--   batch_size  at most a tenth of this number of files is deleted, because each file has many parts
-- Result: how many files were deleted, or batch_size when there may be more.
-- Locks: the deleted rows. Rows that other transactions have locked are skipped.
create or replace function gate.purge_uploads(keep_days integer, batch_size integer) returns integer
language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
declare
  most constant integer := greatest(1, batch_size / 10);
  deleted integer;
begin
  with expired as materialized (
    select f.organization_id, f.id from public.files f
    left join public.message_files m on m.organization_id = f.organization_id and m.file_id = f.id
    where f.run_id is null and m.file_id is null
      and f.created_at < now() - case when f.is_uploading then interval '1 day' else make_interval(days => keep_days) end
    limit most for update of f skip locked
  ) delete from public.files f using expired where f.organization_id = expired.organization_id and f.id = expired.id;
  get diagnostics deleted = row_count;
  return case when deleted = most then batch_size else deleted end;
end
$$;
