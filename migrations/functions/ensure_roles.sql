-- Creates the two roles of the service if they are missing, and grants them the privileges that they need. The service
-- calls this function when it starts, if it has run migrations or if a role is missing, for example after a restore
-- into another server.
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
  granted record;
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
  -- A temporary table or function would outlive its transaction, and PostgreSQL would use it instead of a table or
  -- function of the service with the same name.
  execute format('revoke temporary on database %I from public', current_database());
  execute format('grant usage on schema public to %I', tenant_role);
  -- This also revokes privileges that an earlier version granted.
  execute format('revoke all on all tables in schema public from %I', tenant_role);
  for granted in select * from private.tenant_privileges() loop
    execute format('grant %s %s on %s to %I', granted.privilege,
      (select '(' || string_agg(quote_ident(c), ', ') || ')' from unnest(granted.columns) c),
      granted.target, tenant_role);
  end loop;
  -- Only the owner calls these functions. The functions of the indexes of contacts are the exception: they run with the
  -- role that writes.
  revoke execute on all functions in schema gate, private from public;
  if to_regproc('private.contact_search_keys') is not null then
    execute format('grant execute on function private.contact_search_keys to %I', tenant_role);
    execute format('grant execute on function private.contact_filter_keys to %I', tenant_role);
  end if;
  -- All organizations share the tenant role. With these functions, SQL of one organization could end the sessions of
  -- others, or write large objects, which belong to no organization. Only a superuser can revoke them (docs/adr/0021).
  if (select rolsuper from pg_roles where rolname = current_user) then
    for granted in
      select p.oid::regprocedure as target from pg_proc p
      where p.pronamespace = 'pg_catalog'::regnamespace
        and (p.proname ~ '^lo_' or p.proname in ('loread', 'lowrite', 'pg_cancel_backend', 'pg_terminate_backend'))
    loop
      execute format('revoke execute on function %s from public', granted.target);
    end loop;
    grant execute on function pg_cancel_backend(integer), pg_terminate_backend(integer, bigint) to pg_signal_backend;
  end if;
  execute format('grant usage on schema gate to %I', gate_role);
  execute format('grant execute on all functions in schema gate to %I', gate_role);
  if to_regclass('gate.sessions') is not null then
    execute format('grant select, insert, update, delete on gate.sessions to %I', gate_role);
  end if;
end
$$;
