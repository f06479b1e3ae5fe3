-- Trigger function: lets only the database role that owns the table write the retention rule of the audit log. The
-- functions of the gate, and public.set_audit_retention(), run as this role.
--
-- Arguments: none (row trigger before insert, update and delete of retention_rules).
-- Result: the row. Error 42501 for any role but the owner.
-- Locks: none.
create or replace function private.protect_audit_rule() returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  is_audit_rule constant boolean := coalesce(case when tg_op <> 'INSERT' then old.kind = 'audit_log' end, false)
    or coalesce(case when tg_op <> 'DELETE' then new.kind = 'audit_log' end, false);
begin
  if is_audit_rule and current_user <> (select pg_get_userbyid(c.relowner) from pg_class c where c.oid = tg_relid) then
    raise exception 'The retention of the audit log is changed by set_audit_retention() only.' using errcode = '42501';
  end if;
  return case when tg_op = 'DELETE' then old else new end;
end
$$;
