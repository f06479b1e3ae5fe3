-- Creates the two roles of the service if they are missing, and grants them what they need. It runs after
-- every start that migrated, and when a role is missing, for example after a restore into another server.
--
-- Arguments: none. Names and passwords are in private.installation.
-- Result: nothing.
-- Locks: the catalog rows that it changes.
--
-- Roles belong to the whole server, so their names end with the suffix of this installation.
create or replace function private.ensure_roles() returns void
language plpgsql as $$
declare
  installation record;
  tenant_role name;
  gate_role name;
  target regclass;
begin
  select * into strict installation from private.installation;
  tenant_role := 'switchboard_tenant_' || installation.suffix;
  gate_role := 'switchboard_gate_' || installation.suffix;
  if not exists (select from pg_roles where rolname = tenant_role) then
    execute format('create role %I login noinherit nobypassrls password %L',
      tenant_role, installation.tenant_password);
  end if;
  if not exists (select from pg_roles where rolname = gate_role) then
    execute format('create role %I login noinherit nobypassrls password %L',
      gate_role, installation.gate_password);
  end if;
  execute format('grant connect on database %I to %I, %I', current_database(), tenant_role, gate_role);
  -- A temporary table or function would outlive its transaction, and would be found before those of the service.
  execute format('revoke temporary on database %I from public', current_database());
  execute format('grant usage on schema public to %I', tenant_role);
  -- A table without forced isolation gets no grant, so a forgotten isolate() cannot leak rows.
  for target in
    select c.oid::regclass from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relforcerowsecurity
  loop
    execute format('grant select, insert, update, delete on %s to %I', target, tenant_role);
  end loop;
  if to_regclass('public.audit_log') is not null then
    execute format('revoke update, delete on public.audit_log from %I', tenant_role);
  end if;
  execute format('grant usage on schema gate to %I', gate_role);
  execute format('grant execute on all functions in schema gate to %I', gate_role);
  if to_regclass('gate.sessions') is not null then
    execute format('grant select, insert, update, delete on gate.sessions to %I', gate_role);
  end if;
end
$$;
