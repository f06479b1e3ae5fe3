-- Changes the name that a person shows to others, and adds an entry to the audit log.
--
-- Arguments: the person; the new name, or null for none; the JSON of private.write_audit().
-- Result: nothing.
-- Locks: the person.
create or replace function gate.change_name(of_user_id text, new_name text, audit_entries json) returns void
language sql security definer
set search_path = pg_catalog, pg_temp as $$
update gate.users u set name = new_name where u.id = of_user_id;
select private.write_audit(audit_entries);
$$;
