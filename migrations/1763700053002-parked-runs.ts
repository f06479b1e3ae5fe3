import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Runs that were parked as `poison` and whose failure nobody has told yet. A new table, and a trigger on
 * `workflow_runs`, which is locked for a moment; processes that know nothing of it leave the rows to those that do.
 */
export class ParkedRuns1763700053002 implements MigrationInterface {
  readonly name = 'ParkedRuns1763700053002';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table public.parked_runs (
        organization_id text collate "C" not null
          constraint parked_runs_organization_id_fkey references public.organizations (id) on delete cascade,
        run_id text collate "C" not null,
        constraint parked_runs_pkey primary key (organization_id, run_id),
        constraint parked_runs_run_id_fkey foreign key (organization_id, run_id)
          references public.workflow_runs (organization_id, id) on delete cascade
      )`);
    await runner.query(`select private.isolate('public.parked_runs', 'organization_id', true)`);
    // Whoever parks a run commits this with it, and may die the moment after.
    await runner.query(`
      create function private.note_parked_run() returns trigger
      language plpgsql set search_path = pg_catalog, pg_temp as $$
      begin
        insert into public.parked_runs (organization_id, run_id) values (new.organization_id, new.id)
        on conflict do nothing;
        return null;
      end $$`);
    await runner.query(`
      create trigger workflow_runs_note_parked after update of status on public.workflow_runs for each row
      when (new.status = 'failed' and new.reason = 'poison' and old.status <> 'failed')
      execute function private.note_parked_run()`);
    // In any order, so that rows which cannot be told of do not keep others from it.
    await runner.query(`
      create function gate.parked_runs(most integer) returns table (id text, organization_id text)
      language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
        select p.run_id, p.organization_id from public.parked_runs p order by random() limit most
      $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop function gate.parked_runs(integer)`);
    await runner.query(`drop trigger workflow_runs_note_parked on public.workflow_runs`);
    await runner.query(`drop function private.note_parked_run()`);
    await runner.query(`drop table public.parked_runs`);
  }
}
