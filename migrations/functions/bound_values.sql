-- Trigger function before INSERT and UPDATE: refuses a row with a JSON value that is too long.
--
-- Arguments: those of the trigger: the name of a column and its largest number of bytes as text, for each column.
-- Result: the row. A longer value is error 23514 (check_violation).
-- Locks: none.
--
-- PostgreSQL evaluates the checks of a table for each changed row, also when the values did not change. The length of a
-- compressed value of 4 MiB takes milliseconds, and claims and sweeps change thousands of rows. With a check, such rows
-- of one organization would make the claims of all organizations time out. This trigger fires only for a statement that
-- writes the columns.
create or replace function private.bound_values() returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  size integer;
begin
  for pair in 0 .. tg_nargs / 2 - 1 loop
    execute format('select octet_length(($1).%I::text)', tg_argv[2 * pair]) into size using new;
    if size > tg_argv[2 * pair + 1]::integer then
      raise exception 'A row of % violates check "%": it has more than % bytes.', tg_table_name, tg_argv[2 * pair],
        tg_argv[2 * pair + 1] using errcode = 'check_violation';
    end if;
  end loop;
  return new;
end
$$;
