import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreatePurchaseOrders1767225600000 implements MigrationInterface {
  readonly name = 'CreatePurchaseOrders1767225600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table public.purchase_orders (
        organization_id text collate "C" not null
          constraint purchase_orders_organization_id_fkey references public.organizations (id) on delete cascade,
        id text collate "C" not null,
        title text not null,
        amount integer not null,
        contact_id text collate "C",
        created_at timestamptz(3) not null default now(),
        constraint purchase_orders_pkey primary key (organization_id, id),
        constraint purchase_orders_contact_fkey foreign key (organization_id, contact_id)
          references public.contacts (organization_id, id) on delete set null (contact_id)
      )`);
    await runner.query(
      `create index purchase_orders_organization_id_created_at_idx on public.purchase_orders (organization_id, created_at, id)`,
    );
    await runner.query(`select private.isolate('public.purchase_orders')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table public.purchase_orders`);
  }
}
