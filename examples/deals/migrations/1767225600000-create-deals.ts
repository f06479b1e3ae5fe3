import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateDeals1767225600000 implements MigrationInterface {
  readonly name = 'CreateDeals1767225600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table public.deals (
        organization_id text collate "C" not null
          constraint deals_organization_id_fkey references public.organizations (id) on delete cascade,
        id text collate "C" not null,
        title text not null,
        amount integer not null,
        contact_id text collate "C",
        created_at timestamptz(3) not null default now(),
        constraint deals_pkey primary key (organization_id, id),
        constraint deals_contact_fkey foreign key (organization_id, contact_id)
          references public.contacts (organization_id, id) on delete set null (contact_id)
      )`);
    await runner.query(
      `create index deals_organization_id_created_at_idx on public.deals (organization_id, created_at, id)`,
    );
    await runner.query(`select private.isolate('public.deals')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table public.deals`);
  }
}
