import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The ground that tenant isolation stands on. Three schemas: `public` for the data of organizations, `gate` for
 * what must be found before the organization is known, `private` for secrets that only the owner reads.
 */
export class Foundation1763700000000 implements MigrationInterface {
  readonly name = 'Foundation1763700000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create schema private`);
    await runner.query(`create schema gate`);
    await runner.query(`revoke all on schema private, gate from public`);
    // Anyone may create tables in public before PostgreSQL 15; nobody but the owner has business there.
    await runner.query(`revoke create on schema public from public`);

    await runner.query(`
      create table private.installation (
        only_row boolean constraint installation_pkey primary key default true,
        suffix text not null,
        tenant_password text not null,
        gate_password text not null,
        inner_key bytea not null,
        outer_key bytea not null,
        context_key bytea not null,
        data_key bytea not null,
        constraint installation_one_row check (only_row)
      )`);

    // HMAC-SHA256 (RFC 2104) out of the built-in sha256(): no extension is needed, and the padded keys are stored
    // ready for use. The backend's process id is part of what is signed, so a context seen in one session is worth
    // nothing in another; the caller sends it as a bound parameter, so no other session can see it at all.
    await runner.query(`
      create function public.current_organization() returns text
      language plpgsql stable security definer parallel restricted
      set search_path = pg_catalog, pg_temp
      as $$
      declare
        context text := current_setting('switchboard.context', true);
        organization text;
        expected text;
        keys record;
      begin
        if context is null or context = '' then
          return null;
        end if;
        organization := split_part(context, '.', 1);
        select inner_key, outer_key into strict keys from private.installation;
        expected := encode(sha256(keys.outer_key || sha256(keys.inner_key ||
          convert_to(organization || '.' || pg_backend_pid(), 'UTF8'))), 'hex');
        if context <> organization || '.' || expected then
          raise exception 'The tenant context was not signed by the service.' using errcode = '42501';
        end if;
        return organization;
      end $$`);

    await runner.query(`
      create function private.isolate(target regclass, key_column name default 'organization_id') returns void
      language plpgsql as $$
      begin
        execute format('alter table %s enable row level security', target);
        execute format('alter table %s force row level security', target);
        -- The sub-select makes the planner check the signature once a query instead of once a row.
        execute format('create policy tenant on %s using (%I = (select public.current_organization()))
          with check (%I = (select public.current_organization()))', target, key_column, key_column);
        -- FORCE binds the owner too, and the gate functions run as the owner.
        execute format('create policy owner on %s to %I using (true) with check (true)', target, current_user);
      end $$`);

    // Roles belong to the whole server, so their names carry the installation's own suffix. Run at every start that
    // migrated, and whenever a role is missing: after a restore into another server, say.
    await runner.query(`
      create function private.ensure_roles() returns void
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
        execute format('grant usage on schema public to %I', tenant_role);
        -- Only tables that enforce isolation are reachable: one that forgot to is not there for the service.
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
      end $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop schema gate cascade`);
    await runner.query(`drop function private.ensure_roles()`);
    await runner.query(`drop function private.isolate(regclass, name)`);
    await runner.query(`drop function public.current_organization()`);
    await runner.query(`drop schema private cascade`);
    await runner.query(`grant create on schema public to public`);
  }
}
