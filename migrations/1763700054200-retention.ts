import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * How long each organization keeps what piles up, and the purge of what is older. One new table, and one new index on
 * runs: while that is made, starts and steps of runs wait, about a second for each million runs that have ended.
 */
export class Retention1763700054200 implements MigrationInterface {
  readonly name = 'Retention1763700054200';

  async up(runner: QueryRunner): Promise<void> {
    // No row: for ever. Not below seven days, because the key of a webhook is kept with its run and is promised that
    // long. available_at is when a worker may purge: the next time, or the end of the lease of the one that does.
    await runner.query(`
      create table public.retention_rules (
        organization_id text collate "C" not null
          constraint retention_rules_organization_id_fkey references public.organizations (id) on delete cascade,
        kind text not null,
        days integer not null,
        available_at timestamptz not null default now(),
        epoch integer not null default 0,
        constraint retention_rules_pkey primary key (organization_id, kind),
        constraint retention_rules_kind_check
          check (kind in ('runs', 'messages', 'webhook_deliveries', 'audit_log')),
        constraint retention_rules_days_check check (days between 7 and 3650)
      )`);
    await runner.query(
      `create index retention_rules_due_idx on public.retention_rules (available_at)`,
    );
    await runner.query(`select private.isolate('public.retention_rules')`);
    await runner.query(`
      create index workflow_runs_finished_idx on public.workflow_runs (organization_id, finished_at)
      where finished_at is not null`);

    await runner.query(`
      create function gate.claim_purge(lease_seconds integer)
      returns table (organization_id text, kind text, epoch integer)
      language sql security definer set search_path = pg_catalog, pg_temp as $$
        with due as materialized (
          select r.organization_id, r.kind from public.retention_rules r
          where r.available_at <= now() order by r.available_at limit 1 for update skip locked
        )
        update public.retention_rules r set
          epoch = r.epoch + 1, available_at = now() + make_interval(secs => lease_seconds)
        from due where r.organization_id = due.organization_id and r.kind = due.kind
        returning r.organization_id, r.kind, r.epoch
      $$`);
    await this.createPurge(runner);
    await runner.query(`
      create function gate.finish_purge(of_organization text, of_kind text, claim integer, again_seconds integer)
      returns void
      language sql security definer set search_path = pg_catalog, pg_temp as $$
        update public.retention_rules r set available_at = now() + make_interval(secs => again_seconds)
        where r.organization_id = of_organization and r.kind = of_kind and r.epoch = claim
      $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop function gate.finish_purge(text, text, integer, integer)`);
    await runner.query(`drop function gate.purge(text, text, integer, integer, integer)`);
    await runner.query(`drop function gate.claim_purge(integer)`);
    await runner.query(`drop index public.workflow_runs_finished_idx`);
    await runner.query(`drop table public.retention_rules`);
  }

  /**
   * One batch: how many rows went, or -1 without the claim. How old is too old is read here and nowhere else, so whoever
   * may call this can remove nothing that its organization wants to keep; the log of changes, which the service itself
   * cannot change, included.
   */
  private async createPurge(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create function gate.purge(
        of_organization text, of_kind text, claim integer, most integer, lease_seconds integer
      ) returns integer
      language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
      declare
        before timestamptz;
        gone integer;
      begin
        update public.retention_rules r set available_at = now() + make_interval(secs => lease_seconds)
        where r.organization_id = of_organization and r.kind = of_kind and r.epoch = claim
        returning now() - make_interval(days => r.days) into before;
        if not found then
          return -1;
        end if;
        if of_kind = 'runs' then
          -- Their steps go with them.
          delete from public.workflow_runs r using (
            select o.id from public.workflow_runs o
            where o.organization_id = of_organization and o.finished_at < before
              and o.status in ('succeeded', 'failed', 'canceled')
            order by o.finished_at limit most for update skip locked
          ) old where r.organization_id = of_organization and r.id = old.id;
        elsif of_kind = 'messages' then
          delete from public.messages m using (
            select o.id from public.messages o
            where o.organization_id = of_organization and o.created_at < before
              and o.status not in ('scheduled', 'queued', 'sending')
            order by o.created_at limit most for update skip locked
          ) old where m.organization_id = of_organization and m.id = old.id;
        elsif of_kind = 'webhook_deliveries' then
          delete from public.webhook_deliveries d using (
            select o.id from public.webhook_deliveries o
            where o.organization_id = of_organization and o.received_at < before limit most for update skip locked
          ) old where d.organization_id = of_organization and d.id = old.id;
        else
          -- Ids grow with time, so the oldest are those with the lowest ids, and no index on the time is needed.
          delete from public.audit_log a using (
            select o.id, o.at from public.audit_log o
            where o.organization_id = of_organization order by o.id limit most
          ) old where a.organization_id = of_organization and a.id = old.id and old.at < before;
        end if;
        get diagnostics gone = row_count;
        return gone;
      end $$`);
  }
}
