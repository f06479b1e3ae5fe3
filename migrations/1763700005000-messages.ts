import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Messages to contacts, and the leases under which workers deliver them. */
export class Messages1763700005000 implements MigrationInterface {
  readonly name = 'Messages1763700005000';

  async up(runner: QueryRunner): Promise<void> {
    // run_id has no foreign key: runs come later, belong to another feature, and may be cleaned up while the
    // messages that they sent are kept as a record.
    await runner.query(`
      create table public.messages (
        organization_id text collate "C" not null
          constraint messages_organization_id_fkey references public.organizations (id) on delete cascade,
        id text collate "C" not null,
        contact_id text collate "C",
        channel text not null,
        direction text not null,
        recipient text not null,
        subject text,
        body text not null,
        status text not null,
        status_reason text,
        idempotency_key text,
        run_id text collate "C",
        attempts integer not null default 0,
        epoch integer not null default 0,
        scheduled_at timestamptz(3),
        due_at timestamptz not null default now(),
        lease_until timestamptz,
        sent_at timestamptz(3),
        created_at timestamptz(3) not null default now(),
        updated_at timestamptz(3) not null default now(),
        constraint messages_pkey primary key (organization_id, id),
        constraint messages_contact_id_fkey foreign key (organization_id, contact_id)
          references public.contacts (organization_id, id) on delete set null (contact_id),
        constraint messages_status_check
          check (status in ('scheduled', 'queued', 'sending', 'sent', 'failed', 'canceled'))
      )`);
    await runner.query(
      `create index messages_organization_id_created_at_idx on public.messages (organization_id, created_at, id)`,
    );
    await runner.query(
      `create index messages_organization_id_contact_id_idx
         on public.messages (organization_id, contact_id, created_at, id)`,
    );
    await runner.query(
      `create index messages_organization_id_run_id_idx on public.messages (organization_id, run_id, created_at, id)`,
    );
    // What workers look for, and nothing else: it stays small however many messages were sent.
    await runner.query(
      `create index messages_due_at_idx on public.messages (due_at)
         where status in ('scheduled', 'queued', 'sending')`,
    );
    // A worker that is told of one message knows its id only.
    await runner.query(
      `create index messages_unfinished_id_idx on public.messages (id)
         where status in ('scheduled', 'queued', 'sending')`,
    );
    await runner.query(`select private.isolate('public.messages')`);
    await this.createLeases(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop function gate.release_messages(text[], integer[])`);
    await runner.query(`drop function gate.renew_messages(text[], integer[], integer)`);
    await runner.query(`drop function gate.claim_messages(integer, text, integer)`);
    await runner.query(`drop table public.messages`);
  }

  private async createLeases(runner: QueryRunner): Promise<void> {
    // Two statements, because one with "only_id is null or id = only_id" could use neither index.
    await runner.query(`
      create function gate.claim_messages(most integer, only_id text, lease_seconds integer)
      returns table (id text, organization_id text, epoch integer)
      language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
      #variable_conflict use_column
      declare
        lease constant timestamptz := now() + make_interval(secs => lease_seconds);
      begin
        if only_id is null then
          return query
            update public.messages m set epoch = m.epoch + 1, lease_until = lease
            from (
              select c.organization_id, c.id from public.messages c
              where c.status in ('scheduled', 'queued', 'sending') and c.due_at <= now()
                and (c.lease_until is null or c.lease_until <= now())
              order by c.due_at limit most for update skip locked
            ) due
            where m.organization_id = due.organization_id and m.id = due.id
            returning m.id, m.organization_id, m.epoch;
        else
          return query
            update public.messages m set epoch = m.epoch + 1, lease_until = lease
            from (
              select c.organization_id, c.id from public.messages c
              where c.id = only_id and c.status in ('scheduled', 'queued', 'sending') and c.due_at <= now()
                and (c.lease_until is null or c.lease_until <= now())
              limit 1 for update skip locked
            ) due
            where m.organization_id = due.organization_id and m.id = due.id
            returning m.id, m.organization_id, m.epoch;
        end if;
      end $$`);
    await runner.query(`
      create function gate.renew_messages(ids text[], epochs integer[], lease_seconds integer)
      returns table (id text, organization_id text, epoch integer)
      language sql security definer set search_path = pg_catalog, pg_temp as $$
        update public.messages m set lease_until = now() + make_interval(secs => lease_seconds)
        from unnest(ids, epochs) as held (id, epoch)
        where m.id = held.id and m.epoch = held.epoch and m.status in ('scheduled', 'queued', 'sending')
        returning m.id, m.organization_id, m.epoch
      $$`);
    await runner.query(`
      create function gate.release_messages(ids text[], epochs integer[]) returns void
      language sql security definer set search_path = pg_catalog, pg_temp as $$
        update public.messages m set lease_until = null
        from unnest(ids, epochs) as held (id, epoch)
        where m.id = held.id and m.epoch = held.epoch and m.status in ('scheduled', 'queued', 'sending')
      $$`);
  }
}
