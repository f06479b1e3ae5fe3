-- Collects statistics of tables that have at least doubled since their last statistics. With default settings,
-- autovacuum collects these statistics only a minute later. Until then, functions keep plans that were made when the
-- table was empty. Such a plan reads all rows of an organization to find one, because all indexes of an empty table
-- cost the same.
--
-- Arguments: none.
-- Result: the number of tables.
-- Locks: share update exclusive of each table until the transaction ends, which delays no reader and no writer. Tables
--   that other transactions have locked are skipped.
create or replace function gate.analyze_growing_tables() returns integer
language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
declare
  grown record;
  analyzed integer := 0;
begin
  for grown in
    select c.oid::regclass as name from pg_stat_user_tables s join pg_class c on c.oid = s.relid
    where s.schemaname in ('public', 'private', 'gate') and pg_has_role(c.relowner, 'usage')
      -- Plans for large tables stay good when such a table doubles, and its statistics take long to collect.
      and c.reltuples < 100000 and s.n_mod_since_analyze >= greatest(50, c.reltuples)
  loop
    execute format('analyze (skip_locked) %s', grown.name);
    analyzed := analyzed + 1;
  end loop;
  return analyzed;
end
$$;
