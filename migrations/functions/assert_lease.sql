-- Makes a statement fail if it wrote no row because the lease of the run is lost. The server makes this check, so the
-- commit can be sent in the same round trip.
--
-- Arguments:
--   rows  how many rows the statement wrote
-- Result: rows. When it is 0, the function throws error SB001. PostgreSQL leaves the class of this code to
--   applications.
-- Locks: none.
create or replace function public.assert_lease(rows bigint) returns bigint
language plpgsql immutable
set search_path = pg_catalog, pg_temp as $$
begin
  if rows = 0 then
    raise exception 'The lease of the run is lost.' using errcode = 'SB001';
  end if;
  return rows;
end
$$;
