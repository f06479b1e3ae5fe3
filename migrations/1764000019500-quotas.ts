import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

/** The tables whose rows are counted, with the name of the quota and whether it is daily. */
const COUNTED = [
  ['messages', 'messages', 'daily'],
  ['workflows', 'workflows', 'total'],
  ['workflow_versions', 'versions', 'total'],
] as const;

/** Creates the quotas of organizations. Counts existing rows once. The count reads all workflows and versions. */
export class Quotas1764000019500 extends SqlMigration {
  readonly name = 'Quotas1764000019500';
  readonly files = [
    'tables/quota_defaults.sql',
    'tables/quota_exceptions.sql',
    'tables/quota_grants.sql',
    'tables/quota_blocks.sql',
    'functions/grant_quota.sql',
    'functions/take_quota.sql',
    'functions/return_quota.sql',
    'functions/count_insert.sql',
    'functions/count_workflow_end.sql',
    'functions/create_account.sql',
  ];
  readonly objects = [
    'trigger quota_end on public.workflows',
    ...COUNTED.map(([table]) => `trigger quota_insert on public.${table}`),
    'function private.count_workflow_end',
    'function private.count_insert',
    'function private.return_quota',
    'function private.take_quota',
    'function private.grant_quota',
    'table private.quota_blocks',
    'table private.quota_grants',
    'table private.quota_exceptions',
    'table private.quota_defaults',
  ];

  override async up(runner: QueryRunner): Promise<void> {
    // `create or replace` cannot change the arguments of a function, so the old function is dropped.
    await runner.query('drop function gate.create_account');
    await super.up(runner);
    await runner.query(`insert into private.quota_grants (organization_id, name, day, granted)
      select organization_id, 'workflows', 'epoch'::date, count(*) from public.workflows
      where deleted_at is null group by 1
      union all
      select organization_id, 'versions', 'epoch', count(*) from public.workflow_versions group by 1`);
    for (const [table, quota, period] of COUNTED) {
      await runner.query(`create trigger quota_insert after insert on public.${table}
        referencing new table as inserted
        for each statement execute function private.count_insert('${quota}', '${period}')`);
    }
    await runner.query(`create trigger quota_end after update of deleted_at on public.workflows
      for each row when (old.deleted_at is null and new.deleted_at is not null)
      execute function private.count_workflow_end()`);
  }
}
