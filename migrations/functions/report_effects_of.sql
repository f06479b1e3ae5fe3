-- Attaches a trigger to a table. Through this trigger, dry runs report the changes of the table.
--
-- Arguments:
--   target  the table
-- Result: nothing. The trigger is called dry_run_effects.
-- Locks: the table, against writers, until the transaction ends.
create or replace function private.report_effects_of(target regclass) returns void
language plpgsql as $$
begin
  execute format('create trigger dry_run_effects after insert or update or delete on %s for each row
    when (current_setting(''switchboard.dry_run'', true) = ''on'') execute function private.record_effect()', target);
end
$$;
