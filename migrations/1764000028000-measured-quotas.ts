import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

/** Tables whose new rows are refused while a quota is used up, with the names of the quotas. */
const REFUSED = [
  ['contacts', `'contacts', 'stored_bytes'`],
  ['workflow_runs', `'runs', 'stored_bytes'`],
  ['files', `'stored_bytes'`],
] as const;

/**
 * Creates the quotas of contacts, runs and stored bytes, which workers measure. Every organization is measured soon
 * after the migration.
 */
export class MeasuredQuotas1764000028000 extends SqlMigration {
  readonly name = 'MeasuredQuotas1764000028000';
  readonly files = [
    'tables/quota_measures.sql',
    'tables/quota_usage.sql',
    'tables/quota_refusals.sql',
    'functions/plan_measure.sql',
    'functions/refuse_over.sql',
    'functions/has_used_bytes.sql',
    'functions/refuse_insert.sql',
    'functions/count_insert.sql',
    'functions/stored_bytes.sql',
    'functions/mark_active.sql',
    'functions/claim_measure.sql',
    'functions/measure_quotas.sql',
    'functions/create_account.sql',
  ];
  readonly objects = [
    'trigger quota_measure on public.organizations',
    ...REFUSED.map(([table]) => `trigger quota_refusal on public.${table}`),
    'function gate.measure_quotas',
    'function gate.claim_measure',
    'function gate.mark_active',
    'function private.stored_bytes',
    'function private.refuse_insert',
    'function private.has_used_bytes',
    'function private.refuse_over',
    'function private.plan_measure',
    'table private.quota_refusals',
    'table private.quota_usage',
    'table private.quota_measures',
  ];

  override async up(runner: QueryRunner): Promise<void> {
    // `create or replace` cannot change the arguments of a function, so the old function is dropped.
    await runner.query('drop function gate.create_account');
    await super.up(runner);
    await runner.query(`insert into private.quota_defaults (name, amount, daily) values
      ('contacts', 1000000, false), ('runs', 5000000, false), ('stored_bytes', 21474836480, false)`);
    await runner.query(
      'insert into private.quota_measures (organization_id) select id from public.organizations',
    );
    await runner.query(`create trigger quota_measure after insert on public.organizations
      for each row execute function private.plan_measure()`);
    for (const [table, quotas] of REFUSED) {
      await runner.query(`create trigger quota_refusal after insert on public.${table}
        referencing new table as inserted
        for each statement execute function private.refuse_insert(${quotas})`);
    }
  }

  override async down(runner: QueryRunner): Promise<void> {
    await super.down(runner);
    for (const table of ['quota_exceptions', 'quota_defaults']) {
      await runner.query(
        `delete from private.${table} where name in ('contacts', 'runs', 'stored_bytes')`,
      );
    }
  }
}
