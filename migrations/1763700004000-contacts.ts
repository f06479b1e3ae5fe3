import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Contacts: the people that organizations know and write to. */
export class Contacts1763700004000 implements MigrationInterface {
  readonly name = 'Contacts1763700004000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table public.contacts (
        organization_id text collate "C" not null
          constraint contacts_organization_id_fkey references public.organizations (id) on delete cascade,
        id text collate "C" not null,
        external_id text,
        email text collate "C",
        phone text collate "C",
        first_name text,
        last_name text,
        locale text,
        timezone text,
        tags text[] not null default '{}',
        properties jsonb not null default '{}',
        consent jsonb not null default '{}',
        search_text text not null,
        created_at timestamptz(3) not null default now(),
        updated_at timestamptz(3) not null default now(),
        constraint contacts_pkey primary key (organization_id, id),
        constraint contacts_organization_id_external_id_key unique (organization_id, external_id),
        constraint contacts_organization_id_email_key unique (organization_id, email),
        constraint contacts_organization_id_phone_key unique (organization_id, phone),
        constraint contacts_identifier_check check (num_nonnulls(external_id, email, phone) > 0)
      )`);
    await runner.query(
      `create index contacts_organization_id_created_at_idx on public.contacts (organization_id, created_at, id)`,
    );
    await runner.query(
      `create index contacts_organization_id_updated_at_idx on public.contacts (organization_id, updated_at, id)`,
    );
    // No index on tags, properties or search_text: under row-level security PostgreSQL uses an index only for
    // leakproof operators, and those of arrays, jsonb and LIKE are not.
    await runner.query(`select private.isolate('public.contacts')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table public.contacts`);
  }
}
