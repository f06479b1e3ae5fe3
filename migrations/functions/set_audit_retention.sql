-- Sets for how many days an organization keeps its audit log.
--
-- Arguments:
--   command    JSON: {"organization_id", "days"}. With null for days, the audit log is kept forever.
--   signature  the signature of the service for the purpose "audit retention"
-- Result: nothing. A wrong signature is error 42501. Fewer than 90 days are a violation of
--   retention_rules_audit_log_check.
-- Locks: the rule.
--
-- A trigger keeps the tenant role from writing this rule itself. Without this, SQL of a tool could remove its traces.
create or replace function public.set_audit_retention(command text, signature text) returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp as $$
declare
  of_organization constant text := command::json ->> 'organization_id';
  new_days constant integer := command::json ->> 'days';
begin
  if not private.is_signed('audit retention', command, signature) then
    raise exception 'The retention was not signed by the service.' using errcode = '42501';
  end if;
  if new_days is null then
    delete from public.retention_rules r where r.organization_id = of_organization and r.kind = 'audit_log';
    return;
  end if;
  insert into public.retention_rules as r (organization_id, kind, days) values (of_organization, 'audit_log', new_days)
  on conflict on constraint retention_rules_pkey do update
    set days = excluded.days, available_at = now(), epoch = r.epoch + 1
  where r.days <> excluded.days;
end
$$;
