import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Organizations, the people in them, their sessions, and the log of everything that was changed. */
export class Accounts1763700001000 implements MigrationInterface {
  readonly name = 'Accounts1763700001000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table public.organizations (
        id text collate "C" constraint organizations_pkey primary key,
        name text not null,
        created_at timestamptz not null default now()
      )`);
    await runner.query(`select private.isolate('public.organizations', 'id')`);

    // A person is looked up before any organization is known, so people live behind the gate: the role that tools
    // run as has no access to them at all.
    await runner.query(`
      create table gate.users (
        id text collate "C" constraint users_pkey primary key,
        email text not null,
        password_hash text not null,
        created_at timestamptz not null default now()
      )`);
    await runner.query(`create unique index users_email_key on gate.users (lower(email))`);

    await runner.query(`
      create table public.memberships (
        organization_id text collate "C" not null
          constraint memberships_organization_id_fkey references public.organizations (id) on delete cascade,
        user_id text collate "C" not null
          constraint memberships_user_id_fkey references gate.users (id) on delete cascade,
        role text not null,
        created_at timestamptz not null default now(),
        constraint memberships_pkey primary key (organization_id, user_id),
        constraint memberships_role_check check (role in ('owner', 'member'))
      )`);
    await runner.query(`create index memberships_user_id_idx on public.memberships (user_id)`);
    await runner.query(`select private.isolate('public.memberships')`);

    // The columns that connect-pg-simple expects; sid holds the SHA-256 of the id that the cookie carries.
    await runner.query(`
      create table gate.sessions (
        sid text collate "C" constraint sessions_pkey primary key,
        sess json not null,
        expire timestamptz not null
      )`);
    await runner.query(`create index sessions_expire_idx on gate.sessions (expire)`);

    await runner.query(`
      create table public.audit_log (
        organization_id text collate "C" not null
          constraint audit_log_organization_id_fkey references public.organizations (id) on delete cascade,
        id bigint generated always as identity,
        at timestamptz not null default now(),
        actor_kind text not null,
        actor_id text not null,
        action text not null,
        subject text,
        constraint audit_log_pkey primary key (organization_id, id)
      )`);
    await runner.query(`select private.isolate('public.audit_log')`);

    await runner.query(`
      create function gate.create_account(
        new_user_id text, new_email text, new_password_hash text, new_organization_id text, new_name text
      ) returns void
      language sql security definer set search_path = pg_catalog, pg_temp as $$
        insert into gate.users (id, email, password_hash) values (new_user_id, new_email, new_password_hash);
        insert into public.organizations (id, name) values (new_organization_id, new_name);
        insert into public.memberships (organization_id, user_id, role)
          values (new_organization_id, new_user_id, 'owner');
        insert into public.audit_log (organization_id, actor_kind, actor_id, action, subject)
          values (new_organization_id, 'user', new_user_id, 'sign_up', new_organization_id);
      $$`);
    await runner.query(`
      create function gate.find_account(by_email text, by_user_id text) returns table (
        user_id text, email text, password_hash text, organization_id text, organization_name text, role text
      )
      language sql stable security definer set search_path = pg_catalog, pg_temp as $$
        select u.id, u.email, u.password_hash, o.id, o.name, m.role
        from gate.users u
        join public.memberships m on m.user_id = u.id
        join public.organizations o on o.id = m.organization_id
        where (by_email is not null and lower(u.email) = lower(by_email)) or u.id = by_user_id
        order by m.created_at, o.id
        limit 1
      $$`);
    await runner.query(`
      create function gate.has_accounts() returns boolean
      language sql stable security definer set search_path = pg_catalog, pg_temp as $$
        select exists (select from gate.users)
      $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop function gate.has_accounts()`);
    await runner.query(`drop function gate.find_account(text, text)`);
    await runner.query(`drop function gate.create_account(text, text, text, text, text)`);
    await runner.query(`drop table public.audit_log`);
    await runner.query(`drop table gate.sessions`);
    await runner.query(`drop table public.memberships`);
    await runner.query(`drop table gate.users`);
    await runner.query(`drop table public.organizations`);
  }
}
